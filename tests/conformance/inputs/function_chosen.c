// verdict: TRUE
// gcc: no, an input
// fact: a call through an unknown choice runs one of the functions
#include <assert.h>

extern int __VERIFIER_nondet_int(void);

static int inc(int x) { return x + 1; }
static int dec(int x) { return x - 1; }

int main(void)
{
    int (*f)(int) = __VERIFIER_nondet_int() ? inc : dec;
    int r = f(10);
    assert(r == 11 || r == 9);
    return 0;
}
