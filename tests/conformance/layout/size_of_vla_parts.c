// verdict: TRUE
// fact: sizeof of a variable length array keeps the size it was declared with, for its rows too
#include <assert.h>

static unsigned sizes(int n, int m)
{
    short a[n][m];
    n = 100;
    m = 100;
    return sizeof a * 1000 + sizeof a[0] * 10 + sizeof a[0][0];
}

static unsigned of_type(int n) { return sizeof(int[n + 1]); }

int main(void)
{
    assert(sizes(3, 4) == 24 * 1000 + 8 * 10 + 2);
    assert(of_type(4) == 20);
    return 0;
}
