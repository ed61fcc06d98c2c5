// verdict: TRUE
// fact: abs and labs give the absolute value
#include <assert.h>
#include <stdlib.h>

static int far(int x) { return abs(x); }

int main(void)
{
    assert(far(-5) == 5 && far(5) == 5 && far(0) == 0);
    assert(labs(-7L) == 7 && llabs(-1LL << 40) == 1LL << 40);
    return 0;
}
