// verdict: TRUE
// fact: switch compares all 64 bits
#include <assert.h>

static int f(long long x)
{
    switch (x) {
    case 1: return 1;
    case 0x100000001LL: return 2;
    }
    return 3;
}

int main(void)
{
    assert(f(1) == 1 && f(0x100000001LL) == 2 && f(0x200000001LL) == 3);
    return 0;
}
