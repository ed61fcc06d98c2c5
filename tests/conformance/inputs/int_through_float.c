// verdict: FALSE
// gcc: no, an input
// fact: not every int of 25 bits survives the way through float
#include <assert.h>

extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);

int main(void)
{
    int i = __VERIFIER_nondet_int();
    __VERIFIER_assume(0 <= i && i < 1 << 25);
    assert((int)(float)i == i);
    return 0;
}
