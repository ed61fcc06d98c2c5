// verdict: FALSE
// fact: not so: see precedence.c
#include <assert.h>

static int masked(int x) { return x & 2 == 2; }
static int shifted(int x) { return 1 << x + 1; }

int main(void)
{
    assert(masked(3) == 1 && masked(2) == 1);
    assert(shifted(2) == 8);
    assert(-1 >> 1 == -1 && !0 + 1 == 2);
    return 0;
}
