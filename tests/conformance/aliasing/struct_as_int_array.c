// verdict: TRUE
// fact: a struct of ints is laid out like an array of ints
#include <assert.h>

struct s { int a, b, c; };

int main(void)
{
    struct s s = { 1, 2, 3 };
    int *p = (int *)&s;
    p[1] = 20;
    assert(s.b == 20);
    int i = 2;
    assert(p[i] == 3);
    return 0;
}
