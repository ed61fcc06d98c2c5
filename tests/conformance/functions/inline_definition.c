// verdict: TRUE
// fact: a static inline function is an ordinary function
#include <assert.h>

static inline int sq(int x) { return x * x; }

int main(void)
{
    int (*f)(int) = sq;
    assert(sq(3) == 9 && f(4) == 16);
    return 0;
}
