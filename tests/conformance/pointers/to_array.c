// verdict: TRUE
// fact: a pointer to an array steps over whole arrays
#include <assert.h>

int main(void)
{
    int a[3][4];
    int (*p)[4] = a;
    a[2][1] = 7;
    p += 2;
    assert((*p)[1] == 7);
    assert((char *)p - (char *)a == 32);
    assert(&a + 1 == (int (*)[3][4])(a + 3));
    return 0;
}
