// verdict: TRUE
// fact: a pointer to a member that steps comes to the members beside it
#include <assert.h>

struct s { int a; int b; int c; };

static int steps = 1;

static int some(int sign) { return sign * steps; }

int main(void)
{
    struct s s = { 1, 2, 3 };
    int *after = &s.b + some(1);
    int *before = &s.b + some(-1);
    *after = 7;
    assert(s.c == 7 && s.b == 2);
    assert(*before == 1);
    *before = 8;
    assert(s.a == 8 && s.b == 2);
    return 0;
}
