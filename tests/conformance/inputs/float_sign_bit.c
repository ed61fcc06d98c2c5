// verdict: TRUE
// gcc: no, an input
// fact: the bits of a float are those it is read from, unless it is NaN
#include <assert.h>

extern unsigned __VERIFIER_nondet_uint(void);

union u { float f; unsigned u; };

int main(void)
{
    union u a, b;
    a.u = __VERIFIER_nondet_uint();
    float f = a.f;
    if (f != f)
        return 0;
    b.f = -f;
    assert(b.u == (a.u ^ 0x80000000u));
    return 0;
}
