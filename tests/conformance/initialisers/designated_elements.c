// verdict: TRUE
// fact: after a designator the next element follows it
#include <assert.h>

int main(void)
{
    int a[] = { [2] = 5, 6, [0] = 1 };
    assert(sizeof a == 16);
    assert(a[0] == 1 && a[1] == 0 && a[2] == 5 && a[3] == 6);
    return 0;
}
