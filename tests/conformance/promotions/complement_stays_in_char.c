// verdict: FALSE
// fact: not so: see complement_of_unsigned_char.c
#include <assert.h>

static int complement(unsigned char c) { return ~c; }

int main(void)
{
    assert(complement(0) == -1);
    assert(complement(0xf0) == 0x0f);
    return 0;
}
