// verdict: TRUE
// fact: int against unsigned compares unsigned
#include <assert.h>

static int above(int i, unsigned u) { return i > u; }

int main(void)
{
    assert(above(-1, 1));
    return 0;
}
