// verdict: TRUE
// gcc: traps
// fact: INT_MIN / -1 ends the run
#include <assert.h>

static int quotient(int a, int b) { return a / b; }

int main(void)
{
    int x = quotient(-2147483647 - 1, -1);
    assert(0);
    return x;
}
