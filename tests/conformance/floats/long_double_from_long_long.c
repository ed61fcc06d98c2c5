// verdict: TRUE
// fact: every long long is a long double
#include <assert.h>

static long double widen(long long l) { return l; }

int main(void)
{
    assert(widen(9223372036854775807LL) == 9223372036854775807.0L);
    assert((long long)widen(9007199254740993LL) == 9007199254740993LL);
    return 0;
}
