// verdict: FALSE
// fact: not so: see through_int_pointer.c
#include <assert.h>

int main(void)
{
    int x = 1;
    int *p = &x;
    *p = 2;
    assert(x == 1);
    x = 3;
    assert(*p == 3);
    return 0;
}
