// verdict: TRUE
// fact: the bytes of an int are read lowest first
#include <assert.h>

int main(void)
{
    unsigned x = 0x04030201;
    unsigned char *p = (unsigned char *)&x;
    assert(p[0] == 1 && p[1] == 2 && p[2] == 3 && p[3] == 4);
    return 0;
}
