// verdict: TRUE
// fact: an unsigned count does not make the shift unsigned
#include <assert.h>

static int down(int i, unsigned n) { return i >> n; }

int main(void)
{
    assert(down(-16, 2u) == -4);
    return 0;
}
