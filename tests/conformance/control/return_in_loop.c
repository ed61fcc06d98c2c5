// verdict: TRUE
// fact: return leaves the loops of its function
#include <assert.h>

static int find(const int *a, int n, int v)
{
    for (int i = 0; i < n; i++)
        if (a[i] == v)
            return i;
    return -1;
}

int main(void)
{
    int a[3] = { 5, 6, 7 };
    assert(find(a, 3, 6) == 1 && find(a, 3, 8) == -1);
    return 0;
}
