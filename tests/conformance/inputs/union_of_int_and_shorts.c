// verdict: TRUE
// gcc: no, an input
// fact: the halves of a union put together are the whole
#include <assert.h>

extern unsigned __VERIFIER_nondet_uint(void);

union u { unsigned i; unsigned short s[2]; };

int main(void)
{
    union u u;
    u.i = __VERIFIER_nondet_uint();
    assert((u.s[0] | (unsigned)u.s[1] << 16) == u.i);
    return 0;
}
