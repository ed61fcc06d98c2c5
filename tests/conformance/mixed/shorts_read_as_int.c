// verdict: TRUE
// fact: two shorts of an array are read as one int
#include <assert.h>

int main(void)
{
    unsigned short a[4] __attribute__((aligned(4))) = { 1, 2, 3, 4 };
    unsigned *p = (unsigned *)a;
    assert(p[0] == 0x00020001 && p[1] == 0x00040003);
    p[1] = 0x00050006;
    assert(a[2] == 6 && a[3] == 5 && a[1] == 2);
    return 0;
}
