// verdict: TRUE
// fact: a signed char of -128 divided by -1 is 128, as an int
#include <assert.h>

static int quotient(signed char a, signed char b) { return a / b; }

int main(void)
{
    assert(quotient(-128, -1) == 128);
    return 0;
}
