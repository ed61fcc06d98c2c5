// verdict: TRUE
// fact: a const pointer sees what others write
#include <assert.h>

int main(void)
{
    int x = 1;
    const int *p = &x;
    int *const q = &x;
    *q = 2;
    assert(*p == 2);
    return 0;
}
