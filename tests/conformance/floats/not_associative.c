// verdict: TRUE
// fact: (a + b) + c is not a + (b + c)
#include <assert.h>

static double left(double a, double b, double c) { return (a + b) + c; }
static double right(double a, double b, double c) { return a + (b + c); }

int main(void)
{
    assert(left(1e20, -1e20, 1.0) == 1.0);
    assert(right(1e20, -1e20, 1.0) == 0.0);
    return 0;
}
