// verdict: TRUE
// fact: a float stored whole is read in bytes and as an int
#include <assert.h>

int main(void)
{
    float f = 1.5f;
    unsigned char *p = (unsigned char *)&f;
    assert(p[3] == 0x3f && p[2] == 0xc0 && p[0] == 0);
    p[3] |= 0x80;
    assert(f == -1.5f);
    return 0;
}
