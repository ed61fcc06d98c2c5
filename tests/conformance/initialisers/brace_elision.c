// verdict: TRUE
// fact: inner braces may be left out
#include <assert.h>

struct s { int a; int v[2]; int b; };

int main(void)
{
    int m[2][2] = { 1, 2, 3, 4 };
    struct s s[2] = { 1, 2, 3, 4, 5, 6 };
    assert(m[1][0] == 3);
    assert(s[0].v[1] == 3 && s[0].b == 4 && s[1].a == 5 && s[1].v[0] == 6 && s[1].b == 0);
    return 0;
}
