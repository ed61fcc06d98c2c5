// verdict: TRUE
// fact: && does not evaluate its right side when the left is false
#include <assert.h>

static int calls;
static int yes(void) { calls++; return 1; }

int main(void)
{
    int zero = 0;
    int r = zero && yes();
    assert(r == 0 && calls == 0);
    r = 2 && yes();
    assert(r == 1 && calls == 1);
    return 0;
}
