// verdict: TRUE
// options: --check shift
// fact: counts from 0 to 31 are in range for int
#include <assert.h>

static unsigned up(unsigned x, int n) { return x << n; }

int main(void)
{
    assert(up(1, 0) == 1 && up(1, 31) == 0x80000000);
    return 0;
}
