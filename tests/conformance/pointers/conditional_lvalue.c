// verdict: TRUE
// fact: a pointer chosen by a condition writes only that object
#include <assert.h>

static void set(int c, int *a, int *b) { *(c ? a : b) = 9; }

int main(void)
{
    int x = 1, y = 2;
    set(0, &x, &y);
    assert(x == 1 && y == 9);
    return 0;
}
