// verdict: FALSE
// fact: not so: see switch_falls_through.c
#include <assert.h>

static int f(int x)
{
    int r = 0;
    switch (x) {
    case 1: r += 1;
    case 2: r += 10; break;
    case 3: r += 100;
    default: r += 1000;
    }
    return r;
}

int main(void)
{
    assert(f(1) == 1 && f(2) == 10 && f(3) == 1100 && f(4) == 1000);
    return 0;
}
