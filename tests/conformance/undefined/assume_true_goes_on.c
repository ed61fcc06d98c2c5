// verdict: FALSE
// fact: an assumption that holds changes nothing
#include <assert.h>

extern void __VERIFIER_assume(int);

static int one(void) { return 1; }

int main(void)
{
    __VERIFIER_assume(one() == 1);
    assert(0);
    return 0;
}
