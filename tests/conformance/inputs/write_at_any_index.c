// verdict: TRUE
// gcc: no, an input
// fact: a write at one index leaves the others
#include <assert.h>

extern unsigned __VERIFIER_nondet_uint(void);

int main(void)
{
    int a[4] = { 0 };
    unsigned i = __VERIFIER_nondet_uint() & 3, j = __VERIFIER_nondet_uint() & 3;
    a[i] = 7;
    assert(a[j] == (i == j ? 7 : 0));
    return 0;
}
