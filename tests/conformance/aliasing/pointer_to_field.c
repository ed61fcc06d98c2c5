// verdict: TRUE
// fact: a write through a pointer to a field changes only that field
#include <assert.h>

struct s { int a, b, c; };

int main(void)
{
    struct s s = { 1, 2, 3 };
    int *p = &s.b;
    *p = 9;
    assert(s.a == 1 && s.b == 9 && s.c == 3);
    return 0;
}
