// verdict: FALSE
// fact: not so: see recursion_has_own_locals.c
#include <assert.h>

static int depth(int n, int *above)
{
    int mine = n;
    if (above)
        *above += 10;
    if (n > 0)
        depth(n - 1, &mine);
    return mine;
}

int main(void)
{
    assert(depth(2, 0) == 0);
    assert(depth(0, 0) == 0);
    return 0;
}
