// verdict: TRUE
// fact: the difference of unsigned ints is unsigned
#include <assert.h>

static int less(unsigned a, unsigned b) { return a - b < 0; }

int main(void)
{
    assert(!less(1, 2));
    return 0;
}
