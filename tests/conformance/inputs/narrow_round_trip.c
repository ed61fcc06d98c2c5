// verdict: TRUE
// gcc: no, an input
// fact: a signed char survives the way through unsigned char
#include <assert.h>

extern signed char __VERIFIER_nondet_schar(void);

int main(void)
{
    signed char c = __VERIFIER_nondet_schar();
    unsigned char u = c;
    assert((signed char)u == c);
    assert(u == (c & 0xff));
    return 0;
}
