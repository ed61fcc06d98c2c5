// verdict: TRUE
// fact: 1 / 2 is 0 even when assigned to a double
#include <assert.h>

static double half(int a, int b) { return a / b; }

int main(void)
{
    assert(half(1, 2) == 0.0);
    return 0;
}
