// verdict: FALSE
// fact: not so: see compound_assigned.c
#include <assert.h>

struct s { int a, b; };

int main(void)
{
    struct s s = { 1, 2 };
    s = (struct s){ s.b, s.a };
    assert(s.a == 2 && s.b == 2);
    return 0;
}
