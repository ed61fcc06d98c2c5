// verdict: TRUE
// fact: an unsigned char is an int before it is shifted
#include <assert.h>

static int up(unsigned char c, int n) { return c << n; }

int main(void)
{
    assert(up(0x80, 1) == 0x100);
    assert(up(0xff, 8) == 0xff00);
    return 0;
}
