// verdict: FALSE
// fact: not so: see two_recursive_calls.c
#include <assert.h>

static int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }

int main(void)
{
    assert(fib(5) == 8);
    return 0;
}
