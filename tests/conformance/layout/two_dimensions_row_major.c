// verdict: TRUE
// fact: the last index runs fastest
#include <assert.h>

int main(void)
{
    int a[2][3];
    int *p = &a[0][0];
    for (int i = 0; i < 6; i++)
        p[i] = i;
    assert(a[1][0] == 3);
    assert(a[1][2] == 5);
    assert(sizeof a[0] == 12);
    return 0;
}
