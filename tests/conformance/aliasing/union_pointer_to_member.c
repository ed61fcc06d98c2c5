// verdict: TRUE
// fact: a write through a pointer to a member is seen in the other
#include <assert.h>

union u { int i; unsigned char c[4]; };

int main(void)
{
    union u u;
    int *p = &u.i;
    *p = 0x01020304;
    assert(u.c[3] == 1);
    u.c[0] = 0xff;
    assert(*p == 0x010203ff);
    return 0;
}
