// verdict: TRUE
// fact: a parameter of function type is a pointer to it
#include <assert.h>

static int inc(int x) { return x + 1; }
static int apply(int f(int), int x) { return f(x); }

int main(void)
{
    assert(apply(inc, 3) == 4);
    assert(apply(&inc, 4) == 5);
    return 0;
}
