// verdict: TRUE
// fact: 1.0 / 0.0 is infinity and the run goes on
#include <assert.h>
#include <math.h>

static double quotient(double a, double b) { return a / b; }

int main(void)
{
    assert(quotient(1.0, 0.0) == INFINITY);
    assert(quotient(-1.0, 0.0) == -INFINITY);
    assert(quotient(1.0, -0.0) < 0);
    return 0;
}
