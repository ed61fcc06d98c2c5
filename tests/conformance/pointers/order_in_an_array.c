// verdict: TRUE
// fact: < compares positions in one array
#include <assert.h>

int main(void)
{
    int a[4];
    int *p = &a[1], *q = &a[3];
    assert(p < q && q > p && p <= p && !(q <= p));
    return 0;
}
