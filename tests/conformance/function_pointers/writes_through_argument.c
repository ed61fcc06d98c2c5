// verdict: TRUE
// fact: a function called by pointer writes the local it was given
#include <assert.h>

static void set(int *p, int v) { *p = v; }

int main(void)
{
    void (*f)(int *, int) = set;
    int x = 0, y = 0;
    f(&y, 3);
    assert(x == 0 && y == 3);
    return 0;
}
