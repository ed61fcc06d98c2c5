// verdict: TRUE
// fact: the sign of a float is the highest bit of its int
#include <assert.h>

int main(void)
{
    float f = 2.5f;
    unsigned *p = (unsigned *)&f;
    *p ^= 0x80000000;
    assert(f == -2.5f);
    return 0;
}
