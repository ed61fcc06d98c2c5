// verdict: TRUE
// fact: a write through a pointer is seen in the variable
#include <assert.h>

int main(void)
{
    int x = 1;
    int *p = &x;
    *p = 2;
    assert(x == 2);
    x = 3;
    assert(*p == 3);
    return 0;
}
