// verdict: FALSE
// gcc: no, an input
// fact: x >> 3 is not x / 8 for every int
#include <assert.h>

extern int __VERIFIER_nondet_int(void);

int main(void)
{
    int x = __VERIFIER_nondet_int();
    assert(x >> 3 == x / 8);
    return 0;
}
