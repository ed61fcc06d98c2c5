// verdict: TRUE
// fact: -INT_MIN is INT_MIN
#include <assert.h>
#include <limits.h>

static int negate(int x) { return -x; }

int main(void)
{
    assert(negate(INT_MIN) == INT_MIN);
    return 0;
}
