// verdict: TRUE
// fact: remainder takes the nearest multiple, fmod the next one toward zero
#include <assert.h>
#include <math.h>

static double near(double a, double b) { return remainder(a, b); }
static double next(double a, double b) { return fmod(a, b); }

int main(void)
{
    assert(near(5.5, 2.0) == -0.5 && next(5.5, 2.0) == 1.5);
    assert(near(3.0, 2.0) == -1.0 && near(1.0, 2.0) == 1.0);
    assert(next(1e300, 7.0) == 1.0 && next(1.0, INFINITY) == 1.0);
    assert(isnan(next(1.0, 0.0)) && isnan(near(INFINITY, 1.0)));
    return 0;
}
