// verdict: TRUE
// fact: a byte written into an int changes only that byte
#include <assert.h>

int main(void)
{
    unsigned x = 0;
    ((unsigned char *)&x)[2] = 0xab;
    assert(x == 0x00ab0000);
    return 0;
}
