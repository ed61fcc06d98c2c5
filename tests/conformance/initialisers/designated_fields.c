// verdict: TRUE
// fact: designated fields may come in any order
#include <assert.h>

struct s { int a, b, c; };

int main(void)
{
    struct s s = { .c = 3, .a = 1 };
    assert(s.a == 1 && s.b == 0 && s.c == 3);
    return 0;
}
