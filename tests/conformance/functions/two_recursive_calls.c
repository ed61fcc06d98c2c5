// verdict: TRUE
// fact: a function may call itself twice
#include <assert.h>

static int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }

int main(void)
{
    assert(fib(5) == 5);
    return 0;
}
