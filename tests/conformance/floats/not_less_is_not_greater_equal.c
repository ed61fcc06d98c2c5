// verdict: TRUE
// fact: !(a < b) is not a >= b when there is a NaN
#include <assert.h>
#include <math.h>

static int differ(float a, float b) { return !(a < b) != (a >= b); }

int main(void)
{
    assert(differ(NAN, 0));
    assert(!differ(1, 2));
    return 0;
}
