// verdict: TRUE
// fact: fabs clears the sign, of zero and infinity too
#include <assert.h>
#include <math.h>

static double far(double d) { return fabs(d); }

int main(void)
{
    assert(far(-2.5) == 2.5 && far(2.5) == 2.5);
    assert(!signbit(far(-0.0)));
    assert(far(-INFINITY) == INFINITY);
    return 0;
}
