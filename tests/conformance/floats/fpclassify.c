// verdict: TRUE
// fact: fpclassify tells the five classes apart
#include <assert.h>
#include <float.h>
#include <math.h>

static int class(double d) { return fpclassify(d); }

int main(void)
{
    assert(class(0.0) == FP_ZERO && class(1.0) == FP_NORMAL);
    assert(class(DBL_MIN / 2) == FP_SUBNORMAL);
    assert(class(INFINITY) == FP_INFINITE && class(NAN) == FP_NAN);
    return 0;
}
