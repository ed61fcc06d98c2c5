// verdict: TRUE
// fact: 0.0 / 0.0 is not a number
#include <assert.h>
#include <math.h>

static double quotient(double a, double b) { return a / b; }

int main(void)
{
    double d = quotient(0.0, 0.0);
    assert(d != d);
    assert(isnan(d) && !isinf(d));
    return 0;
}
