// verdict: TRUE
// fact: sqrt is correctly rounded, and NaN below zero
#include <assert.h>
#include <math.h>

static double root(double d) { return sqrt(d); }

int main(void)
{
    assert(root(2.25) == 1.5);
    assert(isnan(root(-1.0)));
    return 0;
}
