// verdict: TRUE
// options: --check overflow
// fact: unsigned arithmetic that wraps is no overflow
#include <assert.h>

static unsigned next(unsigned x) { return x + 1; }

int main(void)
{
    assert(next(4294967295u) == 0);
    return 0;
}
