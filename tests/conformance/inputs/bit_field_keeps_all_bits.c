// verdict: FALSE
// gcc: no, an input
// fact: not so: see bit_field_keeps_low_bits.c
#include <assert.h>

extern unsigned __VERIFIER_nondet_uint(void);

struct s { unsigned a : 3; unsigned b : 7; unsigned c : 6; };

int main(void)
{
    unsigned x = __VERIFIER_nondet_uint();
    struct s s = { 5, 0, 33 };
    s.b = x;
    assert(s.b == x);
    assert(s.a == 5 && s.c == 33);
    return 0;
}
