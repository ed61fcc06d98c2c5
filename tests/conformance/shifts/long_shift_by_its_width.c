// verdict 32: FALSE shift
// verdict 64: TRUE
// options: --check shift
// gcc: no, an undefined shift
// fact: 1L << 40 is out of range where long has 32 bits
#include <assert.h>

static long up(long l, int n) { return l << n; }

int main(void)
{
    return up(1, 40) == 0;
}
