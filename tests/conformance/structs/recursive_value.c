// verdict: TRUE
// fact: each recursive call has its own struct
#include <assert.h>

struct s { int n, sum; };

static struct s walk(struct s s)
{
    if (s.n == 0)
        return s;
    struct s deeper = { s.n - 1, s.sum + s.n };
    return walk(deeper);
}

int main(void)
{
    struct s s = { 3, 0 };
    assert(walk(s).sum == 6);
    assert(s.n == 3);
    return 0;
}
