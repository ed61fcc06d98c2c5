// verdict: TRUE
// fact: 0.0 - 0.0 is positive zero, -0.0 is not
#include <assert.h>
#include <math.h>

static double minus(double a, double b) { return a - b; }

int main(void)
{
    assert(!signbit(minus(0.0, 0.0)));
    assert(signbit(minus(-0.0, 0.0)));
    return 0;
}
