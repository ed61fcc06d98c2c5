// verdict: TRUE
// fact: a function pointer can return a struct
#include <assert.h>

struct s { int a, b; };

static struct s flip(struct s s) { struct s r = { s.b, s.a }; return r; }

int main(void)
{
    struct s (*f)(struct s) = flip;
    struct s s = { 1, 2 };
    assert(f(s).a == 2);
    return 0;
}
