// verdict: TRUE
// fact: an unsigned converts without a sign
#include <assert.h>

static double widen(unsigned u) { return u; }

int main(void)
{
    assert(widen(-1) == 4294967295.0);
    return 0;
}
