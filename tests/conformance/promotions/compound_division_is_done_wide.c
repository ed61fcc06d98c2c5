// verdict: TRUE
// fact: c /= x divides as int, before the result is narrowed
#include <assert.h>

static signed char divide(signed char c, int x) { c /= x; return c; }

int main(void)
{
    assert(divide(100, 300) == 0);
    assert(divide(-128, -1) == -128);
    return 0;
}
