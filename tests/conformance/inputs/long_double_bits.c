// verdict: TRUE
// gcc: no, an input
// fact: a positive long double has a clear sign bit, and its leading bit is stored
#include <assert.h>
#include <string.h>

extern int __VERIFIER_nondet_int(void);

int main(void)
{
    long double d = __VERIFIER_nondet_int();
    unsigned char b[sizeof d];
    memcpy(b, &d, 10);
    assert(!(d > 0) || (b[9] >> 7 == 0 && b[7] >> 7 == 1));
    return 0;
}
