// verdict: TRUE
// fact: a static local keeps its value between calls
#include <assert.h>

static int next(void) { static int n = 5; return n++; }

int main(void)
{
    int a = next(), b = next();
    assert(a == 5 && b == 6);
    return 0;
}
