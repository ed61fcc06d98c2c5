// verdict: TRUE
// options: --check bounds
// fact: the address one past the end is no access
#include <assert.h>

int a[4] = { 1, 2, 3, 4 };

static int *end(void) { return &a[4]; }

int main(void)
{
    assert(end() - a == 4);
    assert(end()[-1] == 4);
    return 0;
}
