// verdict: TRUE
// fact: fdim is the positive difference; fmin and fmax give the other argument where one is NaN
#include <assert.h>
#include <math.h>

static float most(float a, float b) { return fmaxf(a, b); }
static double above(double a, double b) { return fdim(a, b); }

int main(void)
{
    assert(most(NAN, 2.0f) == 2.0f && most(-3.0f, 2.0f) == 2.0f);
    assert(above(5.0, 3.0) == 2.0 && above(3.0, 5.0) == 0.0 && above(INFINITY, INFINITY) == 0.0);
    assert(isnan(above(NAN, 1.0)));
    return 0;
}
