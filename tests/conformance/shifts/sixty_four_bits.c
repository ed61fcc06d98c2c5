// verdict: TRUE
// fact: long long shifts over all 64 bits
#include <assert.h>

static unsigned long long up(unsigned long long u, int n) { return u << n; }

int main(void)
{
    assert(up(1, 63) == 0x8000000000000000ULL);
    assert(up(0xff, 60) == 0xf000000000000000ULL);
    assert((long long)up(1, 63) >> 63 == -1);
    return 0;
}
