// verdict: TRUE
// fact: *p = *q copies the struct
#include <assert.h>

struct s { int a; short b; };

int main(void)
{
    struct s v[2] = { { 1, 2 }, { 3, 4 } };
    struct s *p = &v[0], *q = &v[1];
    *p = *q;
    q->a = 9;
    assert(v[0].a == 3 && v[0].b == 4 && v[1].a == 9);
    return 0;
}
