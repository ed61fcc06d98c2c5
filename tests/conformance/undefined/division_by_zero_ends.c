// verdict: TRUE
// gcc: traps
// fact: a division by zero ends the run, and violates nothing
#include <assert.h>

static int quotient(int a, int b) { return a / b; }

int main(void)
{
    int x = quotient(1, 0);
    assert(0);
    return x;
}
