// verdict: FALSE
// gcc: no, an input
// fact: not so: see bytes_of_int.c
#include <assert.h>

extern unsigned __VERIFIER_nondet_uint(void);

int main(void)
{
    unsigned x = __VERIFIER_nondet_uint();
    unsigned char *p = (unsigned char *)&x;
    assert((p[3] | p[2] << 8 | p[1] << 16 | (unsigned)p[0] << 24) == x);
    return 0;
}
