// verdict: TRUE
// fact: *p++ reads, then steps the pointer
#include <assert.h>

int main(void)
{
    int a[3] = { 1, 2, 3 };
    int *p = a;
    int x = *p++;
    int y = *++p;
    assert(x == 1 && y == 3 && p == a + 2);
    return 0;
}
