// verdict: FALSE
// fact: not so: see overflow_wraps.c
#include <assert.h>

static int next(int x) { return x + 1; }

int main(void)
{
    assert(next(2147483647) == 2147483647);
    return 0;
}
