// verdict: FALSE
// fact: not so: see not_associative.c
#include <assert.h>

static double left(double a, double b, double c) { return (a + b) + c; }
static double right(double a, double b, double c) { return a + (b + c); }

int main(void)
{
    assert(left(1e20, -1e20, 1.0) == 1.0);
    assert(right(1e20, -1e20, 1.0) == 1.0);
    return 0;
}
