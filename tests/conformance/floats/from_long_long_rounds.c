// verdict: TRUE
// fact: 2^53 + 1 is no double
#include <assert.h>

static double widen(long long l) { return l; }

int main(void)
{
    assert(widen(9007199254740993LL) == 9007199254740992.0);
    assert(widen(-5) == -5.0);
    return 0;
}
