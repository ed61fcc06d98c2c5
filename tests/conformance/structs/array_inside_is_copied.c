// verdict: TRUE
// fact: an array wrapped in a struct passes by value
#include <assert.h>

struct box { int a[3]; };

static int spoil(struct box b) { b.a[0] = 0; return b.a[1]; }

int main(void)
{
    struct box b = { { 1, 2, 3 } };
    assert(spoil(b) == 2);
    assert(b.a[0] == 1);
    return 0;
}
