// verdict: TRUE
// fact: swap exchanges two objects
#include <assert.h>

static void swap(int *a, int *b) { int t = *a; *a = *b; *b = t; }

int main(void)
{
    int a[2] = { 1, 2 };
    swap(&a[0], &a[1]);
    assert(a[0] == 2 && a[1] == 1);
    return 0;
}
