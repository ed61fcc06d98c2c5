// verdict: TRUE
// fact: recursion can fill an array of its caller
#include <assert.h>

static void fill(int *a, int n)
{
    if (n == 0)
        return;
    *a = n;
    fill(a + 1, n - 1);
}

int main(void)
{
    int a[4] = { 0 };
    fill(a, 3);
    assert(a[0] == 3 && a[1] == 2 && a[2] == 1 && a[3] == 0);
    return 0;
}
