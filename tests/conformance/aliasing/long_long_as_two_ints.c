// verdict: TRUE
// fact: a long long is two ints, the low one first
#include <assert.h>

int main(void)
{
    long long x = 0x0000000500000007LL;
    int *p = (int *)&x;
    assert(p[0] == 7 && p[1] == 5);
    p[1] = -1;
    assert(x == -4294967289LL);
    return 0;
}
