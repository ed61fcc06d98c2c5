// verdict: TRUE
// fact: a conversion to long long is exact up to 2^53 and beyond
#include <assert.h>

static long long whole(double d) { return d; }

int main(void)
{
    assert(whole(9007199254740992.0) == 9007199254740992LL);
    assert(whole(-1e18) == -1000000000000000000LL);
    return 0;
}
