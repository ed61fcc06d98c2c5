// verdict: TRUE
// fact: a pointer to a member that steps comes to the members beside it
#include <assert.h>

struct s { int a; int b; int c; };

static int *forward(int *p, int n) { return p + n; }

int main(void)
{
    struct s s = { 1, 2, 3 };
    int *p = &s.b;
    p++;
    *p = 7;
    assert(s.c == 7);
    p = forward(p, -2);
    assert(*p == 1);
    *p = 8;
    assert(s.a == 8 && s.b == 2);
    return 0;
}
