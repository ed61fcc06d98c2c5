// verdict: FALSE
// gcc: no, an input
// fact: not so: see pointer_to_one_of_two.c
#include <assert.h>

extern int __VERIFIER_nondet_int(void);

int main(void)
{
    int x = 0, y = 0;
    int *p = __VERIFIER_nondet_int() ? &x : &y;
    *p = 1;
    assert(x == 1);
    return 0;
}
