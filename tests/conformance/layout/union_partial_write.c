// verdict: TRUE
// fact: writing a small member leaves the other bytes
#include <assert.h>

union u { unsigned i; unsigned char c; unsigned short s[2]; };

int main(void)
{
    union u u;
    u.i = 0xaabbccdd;
    u.c = 0x11;
    assert(u.i == 0xaabbcc11);
    u.s[1] = 0x2233;
    assert(u.i == 0x2233cc11);
    return 0;
}
