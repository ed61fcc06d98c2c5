// verdict: TRUE
// fact: 1.0f is 0x3f800000
#include <assert.h>

union u { float f; unsigned i; };

int main(void)
{
    union u u;
    u.f = 1.0f;
    assert(u.i == 0x3f800000);
    u.i |= 0x80000000;
    assert(u.f == -1.0f);
    return 0;
}
