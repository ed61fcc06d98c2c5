// verdict: TRUE
// fact: a union assignment copies all its bytes
#include <assert.h>

union u { unsigned char c[4]; int i; };

int main(void)
{
    union u a, b;
    a.i = 0x01020304;
    a.c[0] = 9;
    b = a;
    a.i = 0;
    assert(b.i == 0x01020309);
    return 0;
}
