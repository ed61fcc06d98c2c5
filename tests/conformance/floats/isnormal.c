// verdict: TRUE
// fact: isnormal is false for zero, denormals, infinities and NaN
#include <assert.h>
#include <float.h>
#include <math.h>

static int normal(double d) { return isnormal(d) != 0; }

int main(void)
{
    assert(normal(1.0) && normal(DBL_MIN));
    assert(!normal(0.0) && !normal(DBL_MIN / 2) && !normal(INFINITY) && !normal(NAN));
    return 0;
}
