// verdict: TRUE
// fact: -7 >> 1 and -7 / 2 differ
#include <assert.h>

static int differ(int i) { return (i >> 1) - i / 2; }

int main(void)
{
    assert(differ(-7) == -1);
    assert(differ(-8) == 0);
    return 0;
}
