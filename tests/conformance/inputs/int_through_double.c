// verdict: TRUE
// gcc: no, an input
// fact: every int survives the way through double
#include <assert.h>

extern int __VERIFIER_nondet_int(void);

int main(void)
{
    int i = __VERIFIER_nondet_int();
    assert((int)(double)i == i);
    return 0;
}
