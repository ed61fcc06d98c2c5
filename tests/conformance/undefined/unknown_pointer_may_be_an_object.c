// verdict: FALSE
// gcc: no, an input
// fact: an unknown pointer can be an object with any contents
#include <assert.h>

extern void *__VERIFIER_nondet_pointer(void);

int main(void)
{
    int *p = __VERIFIER_nondet_pointer();
    if (p)
        assert(*p != 77);
    return 0;
}
