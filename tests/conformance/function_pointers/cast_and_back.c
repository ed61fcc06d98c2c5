// verdict: TRUE
// fact: a function pointer survives a cast to another type and back
#include <assert.h>

static int inc(int x) { return x + 1; }

int main(void)
{
    void (*p)(void) = (void (*)(void))inc;
    assert(((int (*)(int))p)(1) == 2);
    return 0;
}
