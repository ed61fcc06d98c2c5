// verdict: TRUE
// fact: an array field decays to a pointer into the struct
#include <assert.h>

struct s { int n; int a[3]; int m; };

int main(void)
{
    struct s s = { 1, { 2, 3, 4 }, 5 };
    int *p = s.a;
    p[2] = 9;
    assert(s.a[2] == 9);
    assert(s.n == 1 && s.m == 5);
    return 0;
}
