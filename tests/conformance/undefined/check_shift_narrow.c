// verdict: TRUE
// options: --check shift
// fact: the range of a narrow operand is that of int
#include <assert.h>

static int up(unsigned char c, int n) { return c << n; }

int main(void)
{
    assert(up(1, 20) == 0x100000);
    return 0;
}
