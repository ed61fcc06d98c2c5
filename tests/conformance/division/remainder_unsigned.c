// verdict: TRUE
// fact: -1 % 10u is 5
#include <assert.h>

static unsigned rest(int a, unsigned b) { return a % b; }

int main(void)
{
    assert(rest(-1, 10) == 5);
    return 0;
}
