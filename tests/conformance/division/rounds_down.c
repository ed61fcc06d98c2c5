// verdict: FALSE
// fact: not so: see truncates_to_zero.c
#include <assert.h>

static int quotient(int a, int b) { return a / b; }

int main(void)
{
    assert(quotient(-7, 2) == -4);
    assert(quotient(7, -2) == -3);
    assert(quotient(-7, -2) == 3);
    return 0;
}
