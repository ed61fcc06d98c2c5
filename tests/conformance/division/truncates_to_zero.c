// verdict: TRUE
// fact: / truncates towards zero
#include <assert.h>

static int quotient(int a, int b) { return a / b; }

int main(void)
{
    assert(quotient(-7, 2) == -3);
    assert(quotient(7, -2) == -3);
    assert(quotient(-7, -2) == 3);
    return 0;
}
