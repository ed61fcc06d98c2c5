// verdict: TRUE
// fact: a parameter is an object whose bytes can be read
#include <assert.h>

static int byte(unsigned x, int i) { return ((unsigned char *)&x)[i]; }

int main(void)
{
    assert(byte(0x0a0b0c0d, 0) == 0x0d && byte(0x0a0b0c0d, 3) == 0x0a);
    return 0;
}
