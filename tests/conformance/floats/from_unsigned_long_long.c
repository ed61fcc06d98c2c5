// verdict: TRUE
// fact: the largest unsigned long long rounds to 2^64
#include <assert.h>

static double widen(unsigned long long u) { return u; }

int main(void)
{
    assert(widen(-1) == 18446744073709551616.0);
    return 0;
}
