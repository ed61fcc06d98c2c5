// verdict: TRUE
// fact: the difference of unsigned shorts is an int and can be negative
#include <assert.h>

static int less(unsigned short a, unsigned short b) { return a - b < 0; }

int main(void)
{
    assert(less(1, 2));
    assert(!less(2, 1));
    return 0;
}
