// verdict: FALSE
// gcc: no, an input
// fact: not so: see function_chosen.c
#include <assert.h>

extern int __VERIFIER_nondet_int(void);

static int inc(int x) { return x + 1; }
static int dec(int x) { return x - 1; }

int main(void)
{
    int (*f)(int) = __VERIFIER_nondet_int() ? inc : dec;
    int r = f(10);
    assert(r == 11);
    return 0;
}
