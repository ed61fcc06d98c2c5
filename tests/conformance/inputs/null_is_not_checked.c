// verdict: FALSE pointer
// options: --check pointer
// gcc: no, an input
// fact: not so: see null_is_checked.c
#include <assert.h>

extern int __VERIFIER_nondet_int(void);

int main(void)
{
    int x = 3;
    int *p = __VERIFIER_nondet_int() ? &x : 0;
    int r = *p;
    assert(r == 3);
    return 0;
}
