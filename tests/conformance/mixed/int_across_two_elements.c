// verdict: TRUE
// fact: an unaligned int covers parts of two others
#include <assert.h>

int main(void)
{
    unsigned a[2] = { 0x03020100, 0x07060504 };
    unsigned *p = (unsigned *)((char *)a + 2);
    assert(*p == 0x05040302);
    *p = 0xffffffff;
    assert(a[0] == 0xffff0100 && a[1] == 0x0706ffff);
    return 0;
}
