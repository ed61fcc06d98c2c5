// verdict 32: FALSE
// verdict 64: TRUE
// fact: long holds every unsigned int only where it has 64 bits
#include <assert.h>

static int below(long l, unsigned u) { return l < u; }

int main(void)
{
    assert(below(-1, 1));
    return 0;
}
