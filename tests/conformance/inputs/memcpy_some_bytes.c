// verdict: TRUE
// gcc: no, an input
// fact: memcpy of n bytes copies exactly the first n
#include <assert.h>
#include <string.h>

extern unsigned __VERIFIER_nondet_uint(void);

int main(void)
{
    char a[4] = { 1, 2, 3, 4 }, b[4] = { 0 };
    unsigned n = __VERIFIER_nondet_uint() % 5, i = __VERIFIER_nondet_uint() & 3;
    memcpy(b, a, n);
    assert(b[i] == (i < n ? a[i] : 0));
    return 0;
}
