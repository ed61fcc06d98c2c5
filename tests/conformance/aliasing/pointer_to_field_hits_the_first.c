// verdict: FALSE
// fact: not so: see pointer_to_field.c
#include <assert.h>

struct s { int a, b, c; };

int main(void)
{
    struct s s = { 1, 2, 3 };
    int *p = &s.b;
    *p = 9;
    assert(s.a == 9 && s.b == 9 && s.c == 3);
    return 0;
}
