// verdict: TRUE
// fact: a write to one array leaves the other
#include <assert.h>

int a[4], b[4];

static void set(int *p, int i, int v) { p[i] = v; }

int main(void)
{
    for (int i = 0; i < 4; i++)
        set(i & 1 ? a : b, i, i + 1);
    assert(a[0] == 0 && a[1] == 2 && a[3] == 4);
    assert(b[0] == 1 && b[2] == 3 && b[3] == 0);
    return 0;
}
