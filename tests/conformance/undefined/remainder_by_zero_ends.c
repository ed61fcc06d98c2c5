// verdict: TRUE
// gcc: traps
// fact: a remainder by zero ends the run
#include <assert.h>

static unsigned rest(unsigned a, unsigned b) { return a % b; }

int main(void)
{
    unsigned x = rest(1, 0);
    assert(0);
    return x;
}
