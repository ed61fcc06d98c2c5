// verdict: TRUE
// fact: fmod has the sign of its first argument
#include <assert.h>
#include <math.h>

static double rest(double a, double b) { return fmod(a, b); }

int main(void)
{
    assert(rest(5.5, 2.0) == 1.5);
    assert(rest(-5.5, 2.0) == -1.5);
    return 0;
}
