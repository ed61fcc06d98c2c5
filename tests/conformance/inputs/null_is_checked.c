// verdict: TRUE
// options: --check pointer
// gcc: no, an input
// fact: a guarded dereference of a local's address or null is fine
#include <assert.h>

extern int __VERIFIER_nondet_int(void);

int main(void)
{
    int x = 3;
    int *p = __VERIFIER_nondet_int() ? &x : 0;
    int r = p ? *p : 3;
    assert(r == 3);
    return 0;
}
