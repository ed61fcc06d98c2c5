// verdict: TRUE
// gcc: traps
// fact: a field of a null struct pointer is a null dereference
#include <assert.h>

struct s { int a, b; };

static int get(struct s *p) { return p->b; }

int main(void)
{
    int x = get(0);
    assert(0);
    return x;
}
