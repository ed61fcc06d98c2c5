// verdict: FALSE
// fact: not so: see different_objects_differ.c
#include <assert.h>

int x, y;

static int same(int *p, int *q) { return p == q; }

int main(void)
{
    int z;
    assert(same(&x, &y) && !same(&x, &z));
    assert(same(&y, &y));
    return 0;
}
