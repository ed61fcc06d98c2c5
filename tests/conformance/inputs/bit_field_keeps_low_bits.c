// verdict: TRUE
// gcc: no, an input
// fact: a bit-field holds what is stored modulo its width, and its neighbours stay
#include <assert.h>

extern unsigned __VERIFIER_nondet_uint(void);

struct s { unsigned a : 3; unsigned b : 7; unsigned c : 6; };

int main(void)
{
    unsigned x = __VERIFIER_nondet_uint();
    struct s s = { 5, 0, 33 };
    s.b = x;
    assert(s.b == (x & 127));
    assert(s.a == 5 && s.c == 33);
    return 0;
}
