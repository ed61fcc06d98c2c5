// verdict: TRUE
// fact: a - b - c is (a - b) - c
#include <assert.h>

static int f(int a, int b, int c) { return a - b - c; }
static int g(int a, int b, int c) { return a / b * c; }

int main(void)
{
    assert(f(10, 3, 2) == 5);
    assert(g(7, 2, 2) == 6);
    return 0;
}
