// verdict: TRUE
// fact: a function changes only its copy
#include <assert.h>

struct s { int a, b; };

static int change(struct s s) { s.a = 100; return s.a + s.b; }

int main(void)
{
    struct s s = { 1, 2 };
    assert(change(s) == 102);
    assert(s.a == 1);
    return 0;
}
