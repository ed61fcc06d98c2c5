// verdict: TRUE
// fact: a pointer to a field of an element writes that element only
#include <assert.h>

struct s { int a, b; };

int main(void)
{
    struct s v[3] = { { 1, 2 }, { 3, 4 }, { 5, 6 } };
    int *p = &v[1].b;
    *p = 40;
    assert(v[1].b == 40 && v[1].a == 3);
    assert(v[0].b == 2 && v[2].b == 6);
    return 0;
}
