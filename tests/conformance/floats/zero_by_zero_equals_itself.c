// verdict: FALSE
// fact: not so: see zero_by_zero_is_nan.c
#include <assert.h>
#include <math.h>

static double quotient(double a, double b) { return a / b; }

int main(void)
{
    double d = quotient(0.0, 0.0);
    assert(d == d);
    assert(isnan(d) && !isinf(d));
    return 0;
}
