// verdict: TRUE
// fact: a parameter whose address is taken is not the argument
#include <assert.h>

static int bump(int x) { int *p = &x; ++*p; return x; }

int main(void)
{
    int x = 1;
    assert(bump(x) == 2);
    assert(x == 1);
    return 0;
}
