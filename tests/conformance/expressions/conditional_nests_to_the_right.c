// verdict: TRUE
// fact: a ? b : c ? d : e groups to the right
#include <assert.h>

static int sign(int x) { return x < 0 ? -1 : x > 0 ? 1 : 0; }

int main(void)
{
    assert(sign(-5) == -1 && sign(5) == 1 && sign(0) == 0);
    return 0;
}
