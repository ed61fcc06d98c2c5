// verdict: TRUE
// fact: 64-bit division truncates too
#include <assert.h>

static long long quotient(long long a, long long b) { return a / b; }

int main(void)
{
    assert(quotient(-10000000000LL, 3) == -3333333333LL);
    assert(-10000000000LL % 3 == -1);
    return 0;
}
