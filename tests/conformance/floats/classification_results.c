// verdict: TRUE
// fact: isinf tells the sign, isnan is 1, comparisons with NaN are unordered
#include <assert.h>
#include <math.h>

static int infinite(double d) { return isinf(d); }
static int nan_of(long double d) { return isnan(d); }
static int less(float a, float b) { return isless(a, b); }
static int apart(float a, float b) { return isunordered(a, b); }

int main(void)
{
    assert(infinite(-INFINITY) == -1 && infinite(INFINITY) == 1 && infinite(1.0) == 0);
    assert(nan_of(NAN) == 1 && nan_of(0.0L) == 0);
    assert(less(1.0f, 2.0f) == 1 && less(1.0f, NAN) == 0);
    assert(apart(1.0f, NAN) == 1 && apart(1.0f, 2.0f) == 0);
    return 0;
}
