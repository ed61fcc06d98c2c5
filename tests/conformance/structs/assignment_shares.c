// verdict: FALSE
// fact: not so: see assignment_copies.c
#include <assert.h>

struct s { int a; char c; int v[2]; };

int main(void)
{
    struct s x = { 1, 'a', { 2, 3 } }, y;
    y = x;
    x.a = 9;
    x.v[1] = 9;
    assert(y.a == 1 && y.c == 'a' && y.v[0] == 2 && y.v[1] == 9);
    return 0;
}
