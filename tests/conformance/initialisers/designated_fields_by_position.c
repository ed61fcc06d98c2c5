// verdict: FALSE
// fact: not so: see designated_fields.c
#include <assert.h>

struct s { int a, b, c; };

int main(void)
{
    struct s s = { .c = 3, .a = 1 };
    assert(s.a == 3 && s.b == 1 && s.c == 0);
    return 0;
}
