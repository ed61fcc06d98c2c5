// verdict: FALSE
// fact: not so: see union_members_share_bytes.c
#include <assert.h>

union u { unsigned i; unsigned char c[4]; };

int main(void)
{
    union u u;
    u.i = 0x11223344;
    assert(u.c[0] == 0x11);
    assert(u.c[3] == 0x11);
    return 0;
}
