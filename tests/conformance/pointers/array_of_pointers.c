// verdict: TRUE
// fact: an array of pointers can be sorted without moving the objects
#include <assert.h>

int main(void)
{
    int x = 2, y = 1;
    int *a[2] = { &x, &y };
    if (*a[0] > *a[1]) {
        int *t = a[0];
        a[0] = a[1];
        a[1] = t;
    }
    assert(*a[0] == 1 && *a[1] == 2);
    assert(x == 2 && y == 1);
    return 0;
}
