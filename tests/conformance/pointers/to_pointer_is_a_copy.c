// verdict: FALSE
// fact: not so: see to_pointer.c
#include <assert.h>

static void aim(int **p, int *target) { *p = target; }

int main(void)
{
    int x = 1, y = 2;
    int *p = &x;
    aim(&p, &y);
    *p = 9;
    assert(x == 9 && y == 2);
    return 0;
}
