// verdict: TRUE
// gcc: no, an abort looks like a failed assertion
// fact: abort ends the run and violates nothing
#include <assert.h>
#include <stdlib.h>

static int one(void) { return 1; }

int main(void)
{
    if (one())
        abort();
    assert(0);
    return 0;
}
