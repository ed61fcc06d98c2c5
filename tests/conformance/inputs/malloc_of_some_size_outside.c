// verdict: FALSE bounds
// gcc: no, an input
// options: --check bounds
// fact: an element after the last of a malloced array is outside
#include <stdlib.h>

extern unsigned __VERIFIER_nondet_uint(void);

int main(void)
{
    unsigned n = __VERIFIER_nondet_uint() % 4 + 1;
    int *p = malloc(n * sizeof *p);
    p[3] = 1;
    return 0;
}
