// verdict: TRUE
// fact: INT_MIN divides like any other number
#include <assert.h>
#include <limits.h>

static int quotient(int a, int b) { return a / b; }

int main(void)
{
    assert(quotient(INT_MIN, 2) == -1073741824);
    assert(quotient(INT_MIN, INT_MIN) == 1);
    assert(quotient(1, INT_MIN) == 0);
    return 0;
}
