// verdict: TRUE
// options: --check div
// fact: a floating division by zero is no fault
#include <assert.h>

static double quotient(double a, double b) { return a / b; }

int main(void)
{
    assert(quotient(1.0, 0.0) > 1e308);
    return 0;
}
