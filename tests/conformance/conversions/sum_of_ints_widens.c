// verdict: FALSE
// fact: not so: see sum_of_ints_does_not_widen.c
#include <assert.h>

static long long sum(int a, int b) { return a + b; }

int main(void)
{
    assert(sum(2147483647, 1) == 2147483648LL);
    return 0;
}
