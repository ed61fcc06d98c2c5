// verdict: TRUE
// fact: a conversion to int keeps the low 32 bits
#include <assert.h>

static int narrow(long long l) { return l; }

int main(void)
{
    assert(narrow(0x100000005LL) == 5);
    assert(narrow(0x80000000LL) == -2147483647 - 1);
    return 0;
}
