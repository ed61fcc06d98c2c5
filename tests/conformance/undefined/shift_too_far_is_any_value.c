// verdict: FALSE
// gcc: no, an undefined shift
// fact: the result of a shift by too much can be any machine's
#include <assert.h>

static unsigned up(unsigned x, int n) { return x << n; }

int main(void)
{
    assert(up(1, 33) == 2);
    return 0;
}
