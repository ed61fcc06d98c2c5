// verdict: TRUE
// fact: the xor swap clears an object swapped with itself
#include <assert.h>

static void swap(int *a, int *b) { *a ^= *b; *b ^= *a; *a ^= *b; }

int main(void)
{
    int x = 5, y = 6;
    swap(&x, &y);
    assert(x == 6 && y == 5);
    swap(&x, &x);
    assert(x == 0);
    return 0;
}
