// verdict: TRUE
// fact: >> of an unsigned shifts in zeros
#include <assert.h>

static unsigned down(unsigned u, int n) { return u >> n; }

int main(void)
{
    assert(down(-8, 1) == 0x7ffffffc);
    assert(down(0x80000000, 31) == 1);
    return 0;
}
