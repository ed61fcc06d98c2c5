// verdict 32: FALSE
// verdict 64: TRUE
// fact: long has 64 bits in LP64 and 32 in ILP32
#include <assert.h>

static long up(long l) { return l << 31 << 1; }

int main(void)
{
    assert(up(1) == 4294967296LL);
    return 0;
}
