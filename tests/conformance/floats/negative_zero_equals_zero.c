// verdict: TRUE
// fact: -0.0 equals 0.0, but has a sign
#include <assert.h>
#include <math.h>

static double negate(double d) { return -d; }

int main(void)
{
    double z = negate(0.0);
    assert(z == 0.0);
    assert(signbit(z) && !signbit(0.0));
    assert(1.0 / z == -INFINITY);
    return 0;
}
