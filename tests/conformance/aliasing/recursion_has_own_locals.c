// verdict: TRUE
// fact: each call has its own locals, reachable from below
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
    assert(depth(2, 0) == 12);
    assert(depth(0, 0) == 0);
    return 0;
}
