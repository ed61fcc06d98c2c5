// verdict: TRUE
// fact: a rotation is two shifts and an or
#include <assert.h>

static unsigned rotate(unsigned u, int n) { return u << n | u >> (32 - n); }

int main(void)
{
    assert(rotate(0x12345678, 8) == 0x34567812);
    assert(rotate(0x80000001, 1) == 3);
    return 0;
}
