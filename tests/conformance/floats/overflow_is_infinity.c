// verdict: TRUE
// fact: the largest double doubled is infinity
#include <assert.h>
#include <float.h>
#include <math.h>

static double twice(double d) { return d * 2; }

int main(void)
{
    assert(twice(DBL_MAX) == INFINITY);
    assert(twice(DBL_MAX / 2) == DBL_MAX);
    return 0;
}
