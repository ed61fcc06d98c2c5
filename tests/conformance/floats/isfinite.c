// verdict: TRUE
// fact: isfinite is false for infinities and NaN
#include <assert.h>
#include <math.h>

static int finite_(double d) { return isfinite(d) != 0; }

int main(void)
{
    assert(finite_(1e308) && finite_(-0.0));
    assert(!finite_(INFINITY) && !finite_(NAN) && !finite_(1e308 * 10));
    return 0;
}
