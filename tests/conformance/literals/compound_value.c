// verdict: TRUE
// fact: a compound literal is a value of its type
#include <assert.h>

struct s { int a, b; };

static int sum(struct s s) { return s.a + s.b; }

int main(void)
{
    assert(sum((struct s){ 1, 2 }) == 3);
    assert(((struct s){ .b = 5 }).a == 0);
    return 0;
}
