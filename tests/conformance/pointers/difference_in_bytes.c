// verdict: FALSE
// fact: not so: see difference_in_elements.c
#include <assert.h>

struct s { int a, b, c; };

int main(void)
{
    struct s a[5];
    struct s *p = &a[1], *q = &a[4];
    assert(q - p == 36);
    assert(p - q == -3);
    return 0;
}
