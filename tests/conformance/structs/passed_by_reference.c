// verdict: FALSE
// fact: not so: see passed_by_value.c
#include <assert.h>

struct s { int a, b; };

static int change(struct s s) { s.a = 100; return s.a + s.b; }

int main(void)
{
    struct s s = { 1, 2 };
    assert(change(s) == 102);
    assert(s.a == 100);
    return 0;
}
