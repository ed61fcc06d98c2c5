// verdict: TRUE
// fact: (*p)++ steps the object
#include <assert.h>

int main(void)
{
    int a[2] = { 1, 5 };
    int *p = a;
    (*p)++;
    ++*p;
    assert(a[0] == 3 && a[1] == 5 && p == a);
    return 0;
}
