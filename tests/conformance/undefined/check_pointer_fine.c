// verdict: TRUE
// options: --check pointer
// fact: pointers to live objects are fine
#include <assert.h>

static int get(int *p) { return *p; }

int main(void)
{
    int x = 1, a[2] = { 2, 3 };
    assert(get(&x) + get(&a[1]) == 4);
    return 0;
}
