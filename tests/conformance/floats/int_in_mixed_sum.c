// verdict: TRUE
// fact: int meets double in double, unsigned meets float in float
#include <assert.h>

static double half(int i) { return i / 2.0; }
static float sum(unsigned u, float f) { return u + f; }

int main(void)
{
    assert(half(-3) == -1.5);
    assert(sum(16777217, 0.0f) == 16777216.0f);
    return 0;
}
