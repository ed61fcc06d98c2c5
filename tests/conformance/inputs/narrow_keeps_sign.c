// verdict: FALSE
// gcc: no, an input
// fact: not so: see narrow_round_trip.c
#include <assert.h>

extern signed char __VERIFIER_nondet_schar(void);

int main(void)
{
    signed char c = __VERIFIER_nondet_schar();
    unsigned char u = c;
    assert((signed char)u == c);
    assert(u == c);
    return 0;
}
