// verdict: TRUE
// fact: GNU C steps void pointers in bytes
#include <assert.h>

int main(void)
{
    int a[2] = { 1, 2 };
    void *p = a;
    assert(*(int *)(p + 4) == 2);
    assert((p + 4) - p == 4);
    return 0;
}
