// verdict: TRUE
// fact: p + 1 is one element further, not one byte
#include <assert.h>

int main(void)
{
    int a[4] = { 10, 20, 30, 40 };
    int *p = a;
    assert(*(p + 2) == 30);
    assert((char *)(p + 1) - (char *)p == 4);
    return 0;
}
