// verdict: TRUE
// fact: a struct assigned to itself stays
#include <assert.h>

struct s { int a, b; };

static void copy(struct s *p, struct s *q) { *p = *q; }

int main(void)
{
    struct s s = { 1, 2 };
    copy(&s, &s);
    assert(s.a == 1 && s.b == 2);
    return 0;
}
