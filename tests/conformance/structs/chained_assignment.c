// verdict: TRUE
// fact: a = b = c copies from right to left
#include <assert.h>

struct s { int a; };

int main(void)
{
    struct s x, y, z = { 4 };
    x = y = z;
    assert(x.a == 4 && y.a == 4);
    return 0;
}
