// verdict: FALSE
// fact: not so: see tenth_is_inexact.c
#include <assert.h>

static double sum(double a, double b) { return a + b; }

int main(void)
{
    assert(sum(0.1, 0.2) == 0.3);
    assert(sum(0.5, 0.25) == 0.75);
    return 0;
}
