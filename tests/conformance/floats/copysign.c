// verdict: TRUE
// fact: copysign takes the sign of its second argument, of zero too
#include <assert.h>
#include <math.h>

static double with_sign(double a, double b) { return copysign(a, b); }

int main(void)
{
    assert(with_sign(2.0, -0.0) == -2.0);
    assert(with_sign(-2.0, 1.0) == 2.0);
    return 0;
}
