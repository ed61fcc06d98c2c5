// verdict 32: TRUE
// verdict 64: FALSE
// fact: long long holds every unsigned long only where that has 32 bits
#include <assert.h>

static int below(long long l, unsigned long u) { return l < u; }

int main(void)
{
    assert(below(-1, 1));
    return 0;
}
