// verdict: TRUE
// gcc: no, an input
// fact: an int is the sum of its bytes, lowest first
#include <assert.h>

extern unsigned __VERIFIER_nondet_uint(void);

int main(void)
{
    unsigned x = __VERIFIER_nondet_uint();
    unsigned char *p = (unsigned char *)&x;
    assert((p[0] | p[1] << 8 | p[2] << 16 | (unsigned)p[3] << 24) == x);
    return 0;
}
