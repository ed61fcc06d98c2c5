// verdict: TRUE
// fact: an array argument is written in place
#include <assert.h>

static void clear(int a[], int n) { for (int i = 0; i < n; i++) a[i] = 0; }

int main(void)
{
    int a[3] = { 1, 2, 3 };
    clear(a, 2);
    assert(a[0] == 0 && a[1] == 0 && a[2] == 3);
    return 0;
}
