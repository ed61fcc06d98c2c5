// verdict: FALSE
// fact: not so: see compound_evaluates_left_once.c
#include <assert.h>

int main(void)
{
    int a[3] = { 1, 2, 3 }, i = 0;
    a[i++] += 10;
    assert(i == 2 && a[0] == 11 && a[1] == 2);
    int *p = a;
    *p++ *= 2;
    assert(a[0] == 22 && p == a + 1);
    return 0;
}
