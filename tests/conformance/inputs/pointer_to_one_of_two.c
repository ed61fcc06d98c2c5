// verdict: TRUE
// gcc: no, an input
// fact: a write through an unknown choice changes exactly one of two objects
#include <assert.h>

extern int __VERIFIER_nondet_int(void);

int main(void)
{
    int x = 0, y = 0;
    int *p = __VERIFIER_nondet_int() ? &x : &y;
    *p = 1;
    assert(x + y == 1);
    return 0;
}
