// verdict: TRUE
// fact: copying a struct copies its pointer, not what it points to
#include <assert.h>

struct s { int *p; int v; };

int main(void)
{
    int x = 1;
    struct s a = { &x, 1 };
    struct s b = a;
    *b.p = 2;
    b.v = 2;
    assert(x == 2 && *a.p == 2);
    assert(a.v == 1);
    return 0;
}
