// verdict: TRUE
// options: --check bounds
// fact: first and last element are inside
#include <assert.h>

int a[4] = { 1, 2, 3, 4 };

static int get(int i) { return a[i]; }

int main(void)
{
    assert(get(0) + get(3) == 5);
    return 0;
}
