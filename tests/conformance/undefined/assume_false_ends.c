// verdict: TRUE
// fact: an assumption that fails ends the run
#include <assert.h>

extern void __VERIFIER_assume(int);

static int one(void) { return 1; }

int main(void)
{
    __VERIFIER_assume(one() == 2);
    assert(0);
    return 0;
}
