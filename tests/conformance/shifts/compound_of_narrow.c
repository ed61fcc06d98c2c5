// verdict: TRUE
// fact: c <<= n shifts as int and narrows
#include <assert.h>

int main(void)
{
    unsigned char c = 0xff;
    c <<= 4;
    assert(c == 0xf0);
    signed char s = 64;
    s <<= 1;
    assert(s == -128);
    s >>= 1;
    assert(s == -64);
    return 0;
}
