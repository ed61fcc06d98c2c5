// verdict: TRUE
// fact: operands are evaluated from left to right
#include <assert.h>

static int n;
static int next(void) { return ++n; }

int main(void)
{
    assert(next() * 10 + next() == 12);
    return 0;
}
