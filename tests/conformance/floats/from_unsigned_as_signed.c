// verdict: FALSE
// fact: not so: see from_unsigned.c
#include <assert.h>

static double widen(unsigned u) { return u; }

int main(void)
{
    assert(widen(-1) == -1.0);
    return 0;
}
