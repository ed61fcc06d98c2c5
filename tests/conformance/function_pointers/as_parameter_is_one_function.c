// verdict: FALSE
// fact: not so: see as_parameter.c
#include <assert.h>

static int inc(int x) { return x + 1; }
static int neg(int x) { return -x; }
static int apply(int (*f)(int), int x) { return f(f(x)); }

int main(void)
{
    assert(apply(inc, 3) == 5);
    assert(apply(neg, 3) == 5);
    return 0;
}
