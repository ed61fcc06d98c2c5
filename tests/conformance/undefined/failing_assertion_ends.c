// verdict: FALSE
// fact: the first assertion that fails is the violation
#include <assert.h>

static int one(void) { return 1; }

int main(void)
{
    assert(one() == 2);
    assert(one() == 1);
    return 0;
}
