// verdict: TRUE
// fact: long long holds every unsigned int
#include <assert.h>

static int below(long long l, unsigned u) { return l < u; }

int main(void)
{
    assert(below(-1, 1));
    assert(!below(4294967296LL, 4294967295u));
    return 0;
}
