// verdict: TRUE
// gcc: no, an input
// fact: ~x + 1 is -x for every int
#include <assert.h>

extern int __VERIFIER_nondet_int(void);

int main(void)
{
    int x = __VERIFIER_nondet_int();
    assert(~x + 1 == -x);
    return 0;
}
