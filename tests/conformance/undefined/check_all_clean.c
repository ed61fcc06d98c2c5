// verdict: TRUE
// options: --check all
// fact: a program without fault has none with all checks
#include <assert.h>

static int mean(const int *a, int n)
{
    int sum = 0;
    for (int i = 0; i < n; i++)
        sum += a[i];
    return sum / n;
}

int main(void)
{
    int a[3] = { 1, 2, 6 };
    assert(mean(a, 3) == 3);
    assert(1 << mean(a, 3) == 8);
    return 0;
}
