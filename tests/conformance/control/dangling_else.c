// verdict: TRUE
// fact: else belongs to the nearest if
#include <assert.h>

static int f(int a, int b)
{
    int r = 0;
    if (a)
        if (b) r = 1;
        else r = 2;
    return r;
}

int main(void)
{
    assert(f(1, 0) == 2 && f(0, 0) == 0 && f(1, 1) == 1);
    return 0;
}
