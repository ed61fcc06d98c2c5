// verdict: TRUE
// gcc: no, an input
// fact: a positive float has a clear sign bit
#include <assert.h>
#include <string.h>

extern float __VERIFIER_nondet_float(void);

int main(void)
{
    float f = __VERIFIER_nondet_float();
    unsigned u;
    memcpy(&u, &f, sizeof u);
    assert(!(f > 0) || u >> 31 == 0);
    return 0;
}
