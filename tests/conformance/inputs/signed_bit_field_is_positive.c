// verdict: FALSE
// gcc: no, an input
// fact: not so: see signed_bit_field_range.c
#include <assert.h>

extern int __VERIFIER_nondet_int(void);

struct s { int f : 4; };

int main(void)
{
    struct s s;
    s.f = __VERIFIER_nondet_int();
    assert(0 <= s.f && s.f <= 7);
    return 0;
}
