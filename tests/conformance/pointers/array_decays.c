// verdict: TRUE
// fact: an array and its first element have one address, of different types
#include <assert.h>

int main(void)
{
    int a[3];
    assert((void *)a == (void *)&a);
    assert((char *)(&a + 1) - (char *)a == 12);
    assert((char *)(a + 1) - (char *)a == 4);
    return 0;
}
