// verdict: TRUE
// fact: an initialiser without designator is for the first member
#include <assert.h>

union u { unsigned char c; int i; };

union u g = { 0x141 };
union u h = { .i = 0x141 };

int main(void)
{
    assert(g.i == 0x41);
    assert(h.c == 0x41 && h.i == 0x141);
    return 0;
}
