// verdict: TRUE
// fact: unary minus of an unsigned int is taken modulo 2^32
#include <assert.h>

static unsigned opposite(unsigned u) { return -u; }

int main(void)
{
    assert(opposite(1) == 4294967295u);
    assert(opposite(5) > 0);
    return 0;
}
