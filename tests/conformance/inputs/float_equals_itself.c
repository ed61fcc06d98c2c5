// verdict: FALSE
// gcc: no, an input
// fact: a float need not equal itself
#include <assert.h>

extern float __VERIFIER_nondet_float(void);

int main(void)
{
    float f = __VERIFIER_nondet_float();
    assert(f == f);
    return 0;
}
