// verdict: TRUE
// fact: all activations share a static local
#include <assert.h>

static int depth(int n)
{
    static int seen;
    seen++;
    if (n > 0)
        depth(n - 1);
    return seen;
}

int main(void)
{
    assert(depth(2) == 3);
    return 0;
}
