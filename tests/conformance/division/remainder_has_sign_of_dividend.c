// verdict: TRUE
// fact: % has the sign of its left operand
#include <assert.h>

static int rest(int a, int b) { return a % b; }

int main(void)
{
    assert(rest(-7, 3) == -1);
    assert(rest(7, -3) == 1);
    assert(rest(-7, -3) == -1);
    return 0;
}
