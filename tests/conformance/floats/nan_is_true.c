// verdict: TRUE
// fact: NaN as a condition is true
#include <assert.h>
#include <math.h>

static int truth(double d) { return d ? 1 : 0; }

int main(void)
{
    assert(truth(NAN) == 1);
    assert(truth(-0.0) == 0);
    assert(!!NAN == 1);
    return 0;
}
