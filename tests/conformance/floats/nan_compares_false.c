// verdict: TRUE
// fact: every comparison with NaN is false, except !=
#include <assert.h>
#include <math.h>

static int any(double a, double b) { return a < b || a > b || a <= b || a >= b || a == b; }

int main(void)
{
    assert(!any(NAN, 1.0) && !any(1.0, NAN));
    assert(NAN != NAN);
    return 0;
}
