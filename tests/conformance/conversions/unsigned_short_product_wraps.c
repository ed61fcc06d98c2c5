// verdict: TRUE
// fact: unsigned shorts multiply as ints, wrapping at 32 bits
#include <assert.h>

static int product(unsigned short a, unsigned short b) { return a * b; }

int main(void)
{
    assert(product(65535, 65535) == -131071);
    return 0;
}
