// verdict: FALSE
// fact: not so: see long_double_holds_more.c
#include <assert.h>

static long double plus(long double a, long double b) { return a + b; }

int main(void)
{
    assert(plus(9007199254740992.0L, 1.0L) == 9007199254740992.0L);
    assert(plus(18446744073709551616.0L, 1.0L) == 18446744073709551616.0L);
    return 0;
}
