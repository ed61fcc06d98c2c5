// verdict: TRUE
// fact: the bytes of an initialised static local can be read
#include <assert.h>

static int byte(int i)
{
    static const unsigned x = 0x11223344;
    return ((const unsigned char *)&x)[i];
}

int main(void)
{
    assert(byte(0) == 0x44 && byte(2) == 0x22);
    return 0;
}
