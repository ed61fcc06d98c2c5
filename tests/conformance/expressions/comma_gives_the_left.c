// verdict: FALSE
// fact: not so: see comma.c
#include <assert.h>

int main(void)
{
    int i = 1;
    int x = (i++, i * 10);
    assert(x == 1);
    for (i = 0, x = 5; i < 2; i++, x--)
        ;
    assert(i == 2 && x == 3);
    return 0;
}
