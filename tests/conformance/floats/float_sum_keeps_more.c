// verdict: FALSE
// fact: not so: see float_product_rounds_to_float.c
#include <assert.h>

static float third(float a) { return a / 3.0f * 3.0f; }
static int holds(float a, float b) { return a + b == a; }

int main(void)
{
    assert(third(1.0f) == 1.0f);
    assert(!holds(16777216.0f, 1.0f));
    return 0;
}
