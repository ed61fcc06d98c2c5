// verdict: FALSE
// fact: not so: see static_local_keeps.c
#include <assert.h>

static int next(void) { static int n = 5; return n++; }

int main(void)
{
    int a = next(), b = next();
    assert(a == 5 && b == 5);
    return 0;
}
