// verdict: TRUE
// fact: an int is two shorts, the low one first
#include <assert.h>

int main(void)
{
    unsigned x = 0x11112222;
    unsigned short *p = (unsigned short *)&x;
    p[1] = 0x3333;
    assert(p[0] == 0x2222);
    assert(x == 0x33332222);
    return 0;
}
