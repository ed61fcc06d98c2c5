// verdict: TRUE
// fact: x86 is little-endian: the first byte of an int is its lowest
#include <assert.h>

union u { unsigned i; unsigned char c[4]; };

int main(void)
{
    union u u;
    u.i = 0x11223344;
    assert(u.c[0] == 0x44);
    assert(u.c[3] == 0x11);
    return 0;
}
