// verdict: TRUE
// gcc: no, an input
// fact: a pointer to one of two fields of one struct changes one of them
#include <assert.h>

extern int __VERIFIER_nondet_int(void);

struct s { int a, b, c; };

int main(void)
{
    struct s s = { 1, 1, 1 };
    int *p = __VERIFIER_nondet_int() ? &s.a : &s.c;
    *p = 5;
    assert(s.a + s.c == 6 && s.b == 1);
    return 0;
}
