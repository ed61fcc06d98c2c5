// verdict: TRUE
// gcc: no, an input
// options: --check bounds
// fact: the last element of a malloced array is inside it
#include <assert.h>
#include <stdlib.h>

extern unsigned __VERIFIER_nondet_uint(void);

int main(void)
{
    unsigned n = __VERIFIER_nondet_uint() % 4 + 1;
    int *p = malloc(n * sizeof *p);
    p[n - 1] = n;
    assert(p[n - 1] == n);
    return 0;
}
