// verdict: TRUE
// fact: fmin and fmax give the other argument when one is NaN
#include <assert.h>
#include <math.h>

static double least(double a, double b) { return fmin(a, b); }

int main(void)
{
    assert(least(NAN, 1.0) == 1.0 && least(1.0, NAN) == 1.0);
    assert(least(-1.0, 2.0) == -1.0 && fmax(-1.0, 2.0) == 2.0);
    return 0;
}
