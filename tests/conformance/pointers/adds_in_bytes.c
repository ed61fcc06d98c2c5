// verdict: FALSE
// fact: not so: see adds_in_elements.c
#include <assert.h>

int main(void)
{
    int a[4] = { 10, 20, 30, 40 };
    int *p = a;
    assert(*(p + 2) == 30);
    assert((char *)(p + 1) - (char *)p == 1);
    return 0;
}
