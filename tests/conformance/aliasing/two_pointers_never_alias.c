// verdict: FALSE
// fact: not so: see two_pointers_one_object.c
#include <assert.h>

static int set_both(int *p, int *q) { *p = 1; *q = 2; return *p; }

int main(void)
{
    int x, y;
    assert(set_both(&x, &y) == 1);
    assert(set_both(&x, &x) == 1);
    return 0;
}
