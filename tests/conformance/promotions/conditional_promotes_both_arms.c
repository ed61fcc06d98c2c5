// verdict: TRUE
// fact: the type of ?: is the common type of both arms
#include <assert.h>

static long long pick(int c, int i, unsigned u) { return c ? i : u; }

int main(void)
{
    assert(pick(1, -1, 0) == 4294967295LL);
    assert(pick(0, -1, 7) == 7);
    return 0;
}
