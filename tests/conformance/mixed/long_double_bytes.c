// verdict: TRUE
// fact: a long double stores its sign and exponent in bytes 8 and 9
#include <assert.h>

int main(void)
{
    long double l = -1.0L;
    unsigned char *p = (unsigned char *)&l;
    assert(p[9] == 0xbf && p[8] == 0xff && p[7] == 0x80 && p[0] == 0);
    return 0;
}
