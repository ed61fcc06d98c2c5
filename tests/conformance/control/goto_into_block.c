// verdict: TRUE
// fact: goto may enter a block
#include <assert.h>

static int f(int c)
{
    int r = 0;
    if (c)
        goto inside;
    {
        r = 10;
    inside:
        r += 1;
    }
    return r;
}

int main(void)
{
    assert(f(0) == 11 && f(1) == 1);
    return 0;
}
