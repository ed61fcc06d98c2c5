// verdict: TRUE
// fact: an aligned char array can be read as an int
#include <assert.h>

int main(void)
{
    unsigned char a[4] __attribute__((aligned(4))) = { 1, 0, 0, 2 };
    assert(*(unsigned *)a == 0x02000001);
    return 0;
}
