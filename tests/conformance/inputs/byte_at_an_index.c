// verdict: TRUE
// gcc: no, an input
// fact: a byte written at any index of an int is read back there
#include <assert.h>

extern unsigned __VERIFIER_nondet_uint(void);

int main(void)
{
    unsigned x = 0, i = __VERIFIER_nondet_uint() & 3;
    ((unsigned char *)&x)[i] = 0xa5;
    assert(x >> 8 * i == 0xa5);
    return 0;
}
