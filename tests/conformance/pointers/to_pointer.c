// verdict: TRUE
// fact: a pointer can be changed through a pointer to it
#include <assert.h>

static void aim(int **p, int *target) { *p = target; }

int main(void)
{
    int x = 1, y = 2;
    int *p = &x;
    aim(&p, &y);
    *p = 9;
    assert(x == 1 && y == 9);
    return 0;
}
