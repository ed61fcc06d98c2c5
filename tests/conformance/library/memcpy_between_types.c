// verdict: TRUE
// fact: memcpy carries the bits of a float
#include <assert.h>
#include <string.h>

int main(void)
{
    float f = -2.0f;
    unsigned u;
    memcpy(&u, &f, 4);
    assert(u == 0xc0000000);
    return 0;
}
