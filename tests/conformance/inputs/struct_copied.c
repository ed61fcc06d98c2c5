// verdict: TRUE
// gcc: no, an input
// fact: a copy keeps every field, whatever it holds
#include <assert.h>

extern int __VERIFIER_nondet_int(void);

struct s { char c; int i; short v[2]; };

static struct s same(struct s s) { return s; }

int main(void)
{
    struct s a;
    a.c = __VERIFIER_nondet_int();
    a.i = __VERIFIER_nondet_int();
    a.v[1] = __VERIFIER_nondet_int();
    struct s b = same(a);
    a.i++;
    assert(b.c == a.c && b.i == a.i - 1 && b.v[1] == a.v[1]);
    return 0;
}
