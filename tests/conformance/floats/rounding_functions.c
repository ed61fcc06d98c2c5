// verdict: TRUE
// fact: round takes halves away from zero, rint to even, trunc toward zero; a zero keeps the sign
#include <assert.h>
#include <math.h>

static double ties(double d) { return round(d) - rint(d); }
static float cut(float f) { return truncf(f); }
static long double up(long double d) { return ceill(d); }

int main(void)
{
    assert(ties(2.5) == 1.0 && ties(-2.5) == -1.0 && ties(3.5) == 0.0);
    assert(cut(-2.75f) == -2.0f && cut(8388609.0f) == 8388609.0f);
    assert(up(-0.5L) == 0 && signbit(up(-0.5L)));
    assert(lround(-1.5) == -2 && lrint(-1.5) == -2 && lrint(2.5) == 2);
    return 0;
}
