// verdict: TRUE
// fact: a double too large for float becomes infinity
#include <assert.h>
#include <math.h>

static float narrow(double d) { return d; }

int main(void)
{
    assert(isinf(narrow(1e39)));
    assert(narrow(-1e39) < 0);
    assert(narrow(1e-50) == 0);
    return 0;
}
