// verdict: TRUE
// fact: ~ promotes first, so ~(unsigned char)0 is -1
#include <assert.h>

static int complement(unsigned char c) { return ~c; }

int main(void)
{
    assert(complement(0) == -1);
    assert(complement(0xf0) == -241);
    return 0;
}
