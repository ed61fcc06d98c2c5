// verdict: TRUE
// fact: signed overflow wraps
#include <assert.h>

static int next(int x) { return x + 1; }

int main(void)
{
    assert(next(2147483647) == -2147483647 - 1);
    return 0;
}
