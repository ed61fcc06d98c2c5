// verdict: UNKNOWN
// gcc: no, the sum depends on the rounding mode, which is not modelled
// fact: a program that changes the rounding mode is unsupported from there on
#include <assert.h>

int fesetround(int mode);

int main(void)
{
    volatile float big = 16777216.0f;
    fesetround(0x800);
    float sum = big + 1.0f;
    assert(sum == 16777216.0f);
    return 0;
}
