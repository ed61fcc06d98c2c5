// verdict: TRUE
// fact: 1 + DBL_EPSILON is the next double after 1
#include <assert.h>
#include <float.h>

static double plus(double d) { return 1.0 + d; }

int main(void)
{
    assert(plus(DBL_EPSILON) > 1.0);
    assert(plus(DBL_EPSILON / 2) == 1.0);
    assert(DBL_EPSILON == 0x1p-52);
    return 0;
}
