// verdict: TRUE
// fact: x86 reads an int at any address
#include <assert.h>

int main(void)
{
    unsigned char a[8] = { 0, 1, 2, 3, 4, 5, 6, 7 };
    assert(*(unsigned *)(a + 1) == 0x04030201);
    return 0;
}
