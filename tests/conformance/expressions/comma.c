// verdict: TRUE
// fact: a comma evaluates both sides and gives the right one
#include <assert.h>

int main(void)
{
    int i = 1;
    int x = (i++, i * 10);
    assert(x == 20);
    for (i = 0, x = 5; i < 2; i++, x--)
        ;
    assert(i == 2 && x == 3);
    return 0;
}
