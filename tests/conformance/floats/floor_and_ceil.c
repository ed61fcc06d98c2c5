// verdict: TRUE
// fact: floor and ceil round down and up
#include <assert.h>
#include <math.h>

static double down(double d) { return floor(d); }
static double up(double d) { return ceil(d); }

int main(void)
{
    assert(down(-1.5) == -2.0 && down(1.5) == 1.0);
    assert(up(-1.5) == -1.0 && up(1.5) == 2.0);
    assert(trunc(-1.5) == -1.0 && round(2.5) == 3.0);
    return 0;
}
