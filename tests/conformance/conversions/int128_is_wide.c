// verdict 32: TRUE
// verdict 64: TRUE
// fact: __int128, where it exists, keeps products of 64-bit numbers
#include <assert.h>

static unsigned long long high(unsigned long long a, unsigned long long b)
{
#ifdef __SIZEOF_INT128__
    return (unsigned __int128)a * b >> 64;
#else
    return a && b ? 1 : 0;
#endif
}

int main(void)
{
    assert(high(1ULL << 63, 2) == 1);
    return 0;
}
