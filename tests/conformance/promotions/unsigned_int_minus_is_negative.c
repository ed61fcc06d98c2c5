// verdict: FALSE
// fact: not so: see unsigned_int_minus_is_never_negative.c
#include <assert.h>

static int less(unsigned a, unsigned b) { return a - b < 0; }

int main(void)
{
    assert(less(1, 2));
    return 0;
}
