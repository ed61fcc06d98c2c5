// verdict: TRUE
// fact: an unsigned char shifts right as a non-negative int
#include <assert.h>

static int down(unsigned char c, int n) { return c >> n; }

int main(void)
{
    assert(down(0x80, 7) == 1);
    assert(down(0xff, 9) == 0);
    return 0;
}
