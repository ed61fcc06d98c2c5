// verdict: TRUE
// fact: the left side of += is evaluated once
#include <assert.h>

int main(void)
{
    int a[3] = { 1, 2, 3 }, i = 0;
    a[i++] += 10;
    assert(i == 1 && a[0] == 11 && a[1] == 2);
    int *p = a;
    *p++ *= 2;
    assert(a[0] == 22 && p == a + 1);
    return 0;
}
