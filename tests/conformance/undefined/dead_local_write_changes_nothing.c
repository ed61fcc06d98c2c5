// verdict: TRUE
// gcc: no, an access to a dead object
// fact: a write to a dead local changes no live one
#include <assert.h>

static int *leak(void) { int x = 1; int *p = &x; return p; }
static int live(int *p) { int y = 5; int *q = &y; *p = 9; return *q; }

int main(void)
{
    assert(live(leak()) == 5);
    return 0;
}
