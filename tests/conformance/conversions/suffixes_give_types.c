// verdict 32: TRUE
// verdict 64: TRUE
// fact: the size of a literal follows its suffix
#include <assert.h>

int main(void)
{
    assert(sizeof 1L == sizeof(long));
    assert(sizeof 1LL == 8);
    assert(sizeof 1u == 4);
    assert(1u - 2 > 0);
    assert(1ull - 2 == 18446744073709551615ull);
    return 0;
}
