// verdict: TRUE
// fact: sizeof of a variable length array is computed when it runs
#include <assert.h>

static unsigned size(int n) { int a[n]; return sizeof a; }

int main(void)
{
    assert(size(3) == 12);
    return 0;
}
