// verdict: TRUE
// fact: long double has 64 bits of precision
#include <assert.h>

static long double plus(long double a, long double b) { return a + b; }

int main(void)
{
    assert(plus(9007199254740992.0L, 1.0L) == 9007199254740993.0L);
    assert(plus(18446744073709551616.0L, 1.0L) == 18446744073709551616.0L);
    return 0;
}
