// verdict: TRUE
// fact: hexadecimal floats give exact values
#include <assert.h>

int main(void)
{
    assert(0x1.8p1 == 3.0);
    assert(0x1p-2f == 0.25f);
    assert(0x.8p0 == 0.5);
    return 0;
}
