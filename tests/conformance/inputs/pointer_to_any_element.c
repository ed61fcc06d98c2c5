// verdict: TRUE
// gcc: no, an input
// fact: a pointer to any element reads that element
#include <assert.h>

extern unsigned __VERIFIER_nondet_uint(void);

struct s { char tag; int v; };

int main(void)
{
    struct s a[3] = { { 'a', 1 }, { 'b', 2 }, { 'c', 3 } };
    unsigned i = __VERIFIER_nondet_uint() % 3;
    struct s *p = a + i;
    p->v += 10;
    assert(a[i].v == i + 11);
    assert(p - a == i);
    assert(a[0].tag == 'a' && a[2].tag == 'c');
    return 0;
}
