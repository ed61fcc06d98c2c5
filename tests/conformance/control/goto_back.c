// verdict: TRUE
// fact: a backward goto makes a loop
#include <assert.h>

int main(void)
{
    int i = 0, sum = 0;
again:
    sum += i;
    if (++i < 4)
        goto again;
    assert(sum == 6);
    return 0;
}
