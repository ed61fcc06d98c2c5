// verdict: TRUE
// fact: long double reaches beyond double
#include <assert.h>
#include <math.h>

static long double square(long double l) { return l * l; }

int main(void)
{
    assert(!isinf(square(1e300L)));
    assert(isinf((double)square(1e300L)));
    return 0;
}
