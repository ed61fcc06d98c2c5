// verdict: TRUE
// fact: a negative dividend is large when the divisor is unsigned
#include <assert.h>

static unsigned quotient(int a, unsigned b) { return a / b; }

int main(void)
{
    assert(quotient(-4, 2) == 0x7ffffffe);
    return 0;
}
