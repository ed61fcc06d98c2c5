// verdict: FALSE
// fact: not so: see minus_one_is_above_unsigned.c
#include <assert.h>

static int above(int i, unsigned u) { return i > u; }

int main(void)
{
    assert(!above(-1, 1));
    return 0;
}
