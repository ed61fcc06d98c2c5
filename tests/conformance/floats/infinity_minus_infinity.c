// verdict: TRUE
// fact: infinity minus infinity is not a number
#include <assert.h>
#include <math.h>

static double minus(double a, double b) { return a - b; }

int main(void)
{
    assert(isnan(minus(INFINITY, INFINITY)));
    assert(isinf(minus(INFINITY, 1.0)));
    return 0;
}
