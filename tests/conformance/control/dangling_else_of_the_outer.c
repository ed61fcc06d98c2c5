// verdict: FALSE
// fact: not so: see dangling_else.c
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
    assert(f(1, 0) == 2 && f(0, 0) == 2 && f(1, 1) == 1);
    return 0;
}
