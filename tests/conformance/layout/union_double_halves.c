// verdict: TRUE
// fact: the high half of a double is its second word
#include <assert.h>

union u { double d; unsigned w[2]; };

int main(void)
{
    union u u;
    u.d = 2.0;
    assert(u.w[0] == 0);
    assert(u.w[1] == 0x40000000);
    u.w[1] = 0x3ff80000;
    assert(u.d == 1.5);
    return 0;
}
