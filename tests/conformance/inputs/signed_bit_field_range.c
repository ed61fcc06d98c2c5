// verdict: TRUE
// gcc: no, an input
// fact: an int field of 4 bits holds -8 to 7
#include <assert.h>

extern int __VERIFIER_nondet_int(void);

struct s { int f : 4; };

int main(void)
{
    struct s s;
    s.f = __VERIFIER_nondet_int();
    assert(-8 <= s.f && s.f <= 7);
    return 0;
}
