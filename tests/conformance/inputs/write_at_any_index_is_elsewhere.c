// verdict: FALSE
// gcc: no, an input
// fact: not so: see write_at_any_index.c
#include <assert.h>

extern unsigned __VERIFIER_nondet_uint(void);

int main(void)
{
    int a[4] = { 0 };
    unsigned i = __VERIFIER_nondet_uint() & 3, j = __VERIFIER_nondet_uint() & 3;
    a[i] = 7;
    assert(a[j] == 0);
    return 0;
}
