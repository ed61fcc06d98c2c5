// verdict: TRUE
// fact: ++ and += on an object see bytes written before
#include <assert.h>

int main(void)
{
    unsigned x = 0;
    unsigned char *p = (unsigned char *)&x;
    p[1] = 1;
    x++;
    x += 0xff;
    assert(x == 0x200 && p[1] == 2 && p[0] == 0);
    p[0]--;
    assert(x == 0x2ff);
    return 0;
}
