// verdict: TRUE
// fact: a returned struct is a value
#include <assert.h>

struct s { int a, b; };

static struct s make(int a) { struct s s = { a, a + 1 }; return s; }

int main(void)
{
    struct s x = make(1), y = make(5);
    assert(x.a == 1 && x.b == 2 && y.a == 5);
    assert(make(7).b == 8);
    return 0;
}
