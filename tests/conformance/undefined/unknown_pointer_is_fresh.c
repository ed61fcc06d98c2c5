// verdict: TRUE
// gcc: no, an input
// fact: the object of an unknown pointer overlaps no other
#include <assert.h>

extern void *__VERIFIER_nondet_pointer(void);

int g = 1;

int main(void)
{
    int x = 2;
    int *p = __VERIFIER_nondet_pointer();
    if (p)
        *p = 9;
    assert(p != &g && p != &x);
    assert(g == 1 && x == 2);
    return 0;
}
