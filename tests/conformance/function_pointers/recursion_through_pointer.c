// verdict: TRUE
// fact: a function can call itself through a pointer
#include <assert.h>

static int (*self)(int);
static int sum(int n) { return n == 0 ? 0 : n + self(n - 1); }

int main(void)
{
    self = sum;
    assert(sum(3) == 6);
    return 0;
}
