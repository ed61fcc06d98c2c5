// verdict: TRUE
// fact: a pointer to an element sees writes through the array
#include <assert.h>

int main(void)
{
    int a[4] = { 0 };
    int i = 2;
    int *p = &a[i];
    a[2] = 5;
    assert(*p == 5);
    *p = 6;
    assert(a[i] == 6 && a[1] == 0 && a[3] == 0);
    return 0;
}
