// verdict: TRUE
// fact: -> writes the struct it points to
#include <assert.h>

struct s { int a; char c; };

static void fill(struct s *p) { p->a = 4; p->c = 'x'; }

int main(void)
{
    struct s s;
    fill(&s);
    assert(s.a == 4 && s.c == 'x');
    return 0;
}
