// verdict: TRUE
// fact: a variable whose address is taken late keeps its earlier value
#include <assert.h>

static void twice(int *p) { *p *= 2; }

int main(void)
{
    int x = 1;
    for (int i = 0; i < 3; i++)
        x += i;
    twice(&x);
    x++;
    twice(&x);
    assert(x == 18);
    return 0;
}
