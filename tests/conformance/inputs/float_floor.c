// verdict: TRUE
// gcc: no, an input
// fact: floor is at most its argument, and less than one below
#include <assert.h>
#include <math.h>

extern float __VERIFIER_nondet_float(void);

int main(void)
{
    float f = __VERIFIER_nondet_float();
    if (!(f > -1000.0f && f < 1000.0f))
        return 0;
    float g = floorf(f);
    assert(g <= f && g + 1.0f > f - 0.0f * g || g + 1.0f == f);
    assert((float)(int)g == g);
    return 0;
}
