// verdict: FALSE
// fact: not so: see conditional_promotes_both_arms.c
#include <assert.h>

static long long pick(int c, int i, unsigned u) { return c ? i : u; }

int main(void)
{
    assert(pick(1, -1, 0) == -1);
    assert(pick(0, -1, 7) == 7);
    return 0;
}
