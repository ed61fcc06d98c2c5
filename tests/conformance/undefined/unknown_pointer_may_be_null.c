// verdict: FALSE
// gcc: no, an input
// fact: an unknown pointer can be null
#include <assert.h>

extern void *__VERIFIER_nondet_pointer(void);

int main(void)
{
    int *p = __VERIFIER_nondet_pointer();
    assert(p != 0);
    return 0;
}
