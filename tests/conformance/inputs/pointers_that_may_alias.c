// verdict: FALSE
// gcc: no, an input
// fact: two pointers into one array may be equal
#include <assert.h>

extern unsigned __VERIFIER_nondet_uint(void);

int main(void)
{
    int a[3];
    int *p = &a[__VERIFIER_nondet_uint() % 3], *q = &a[__VERIFIER_nondet_uint() % 3];
    *p = 1;
    *q = 2;
    assert(*p == 1);
    return 0;
}
