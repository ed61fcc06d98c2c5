// verdict: TRUE
// fact: 1 << 31 is INT_MIN
#include <assert.h>

static int up(int i, int n) { return i << n; }

int main(void)
{
    assert(up(1, 31) < 0);
    assert(up(3, 31) == -2147483647 - 1);
    assert(up(-1, 4) == -16);
    return 0;
}
