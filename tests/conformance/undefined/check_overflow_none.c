// verdict: TRUE
// options: --check overflow
// fact: sums that stay in range are not overflow
#include <assert.h>

static int next(int x) { return x + 1; }

int main(void)
{
    assert(next(2147483646) == 2147483647);
    return 0;
}
