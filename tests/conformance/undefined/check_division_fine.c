// verdict: TRUE
// options: --check div
// fact: other divisions of INT_MIN and by -1 are fine
#include <assert.h>

static int quotient(int a, int b) { return a / b; }

int main(void)
{
    assert(quotient(-2147483647, -1) == 2147483647);
    assert(quotient(-2147483647 - 1, 1) < 0);
    return 0;
}
