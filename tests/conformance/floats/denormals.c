// verdict: TRUE
// fact: half of the smallest normal float is not zero
#include <assert.h>
#include <float.h>

static float half(float f) { return f / 2; }

int main(void)
{
    assert(half(FLT_MIN) > 0);
    assert(half(FLT_MIN) * 2 == FLT_MIN);
    assert(half(1e-45f) == 0);
    return 0;
}
