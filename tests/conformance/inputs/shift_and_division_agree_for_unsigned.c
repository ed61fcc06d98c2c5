// verdict: TRUE
// gcc: no, an input
// fact: u >> 3 is u / 8 for every unsigned
#include <assert.h>

extern unsigned __VERIFIER_nondet_uint(void);

int main(void)
{
    unsigned u = __VERIFIER_nondet_uint();
    assert(u >> 3 == u / 8);
    assert((u & 7) == u % 8);
    return 0;
}
