// verdict: TRUE
// fact: an int sum wraps before it is stored in a long long
#include <assert.h>

static long long sum(int a, int b) { return a + b; }

int main(void)
{
    assert(sum(2147483647, 1) == -2147483648LL);
    return 0;
}
