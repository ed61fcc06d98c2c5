// verdict: TRUE
// fact: an unnamed bit-field leaves a gap
#include <assert.h>

union u { struct { unsigned a : 4; unsigned : 4; unsigned b : 4; } s; unsigned i; };

int main(void)
{
    union u u;
    u.i = 0xabc;
    assert(u.s.a == 0xc);
    assert(u.s.b == 0xa);
    return 0;
}
