// verdict: TRUE
// options: --property main.assertion.2
// gcc: no, gcc does not tell properties apart
// fact: a run that violates one property ends there, so the next is not violated
#include <assert.h>

static int one(void) { return 1; }

int main(void)
{
    assert(one() == 2);
    assert(one() == 3);
    return 0;
}
