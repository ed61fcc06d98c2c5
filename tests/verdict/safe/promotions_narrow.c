#include <assert.h>

int main(void)
{
    unsigned char c = 255;
    assert(c + 1 == 256);
    c++;
    assert(c == 0);
    signed char s = 127;
    s += 1;
    assert(s == -128);
    return 0;
}
