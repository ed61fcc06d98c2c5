// verdict: TRUE
// gcc: no, an input
// fact: every float that is a number survives the way through double
#include <assert.h>

extern float __VERIFIER_nondet_float(void);

int main(void)
{
    float f = __VERIFIER_nondet_float();
    double d = f;
    assert(f != f || (float)d == f);
    return 0;
}
