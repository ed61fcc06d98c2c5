// verdict: TRUE
// fact: the largest index gives the length
#include <assert.h>

static int a[] = { [9] = 1, [4] = 2 };

int main(void)
{
    assert(sizeof a / sizeof a[0] == 10);
    assert(a[4] == 2 && a[9] == 1 && a[5] == 0);
    return 0;
}
