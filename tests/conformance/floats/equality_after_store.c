// verdict: TRUE
// fact: a float stored and loaded keeps its value
#include <assert.h>

struct s { float f; double d; };

int main(void)
{
    struct s a[2] = { { 0.1f, 0.1 }, { 0.2f, 0.2 } };
    int i = 1;
    assert(a[i].f == 0.2f && a[i].d == 0.2);
    assert(a[0].f != a[0].d);
    return 0;
}
