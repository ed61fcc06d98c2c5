// verdict: TRUE
// fact: _Bool values add up as ints
#include <assert.h>

static int count(_Bool a, _Bool b, _Bool c) { return a + b + c; }

int main(void)
{
    assert(count(1, 1, 1) == 3);
    assert(count(1, 0, 7) == 2);
    return 0;
}
