// verdict: FALSE
// gcc: no, an input
// fact: the absolute value of INT_MIN is negative
#include <assert.h>

extern int __VERIFIER_nondet_int(void);

static int far(int x) { return x < 0 ? -x : x; }

int main(void)
{
    assert(far(__VERIFIER_nondet_int()) >= 0);
    return 0;
}
