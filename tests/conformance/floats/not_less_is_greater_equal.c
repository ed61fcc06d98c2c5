// verdict: FALSE
// fact: not so: see not_less_is_not_greater_equal.c
#include <assert.h>
#include <math.h>

static int differ(float a, float b) { return !(a < b) != (a >= b); }

int main(void)
{
    assert(!differ(NAN, 0));
    assert(!differ(1, 2));
    return 0;
}
