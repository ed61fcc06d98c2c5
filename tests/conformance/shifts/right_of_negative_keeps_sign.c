// verdict: TRUE
// fact: >> of a negative int shifts in the sign
#include <assert.h>

static int down(int i, int n) { return i >> n; }

int main(void)
{
    assert(down(-8, 1) == -4);
    assert(down(-1, 31) == -1);
    assert(down(-7, 1) == -4);
    return 0;
}
