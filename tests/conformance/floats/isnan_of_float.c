// verdict: TRUE
// fact: isnan works for every floating type
#include <assert.h>
#include <math.h>

static int of_float(float f) { return isnan(f) != 0; }
static int of_long(long double l) { return isnan(l) != 0; }

int main(void)
{
    assert(of_float(NAN) && !of_float(1.0f));
    assert(of_long(NAN) && !of_long(1.0L));
    return 0;
}
