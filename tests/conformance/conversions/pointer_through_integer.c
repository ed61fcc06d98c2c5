// verdict: TRUE
// fact: a pointer survives the way through an integer of its size
#include <assert.h>
#include <stdint.h>

int main(void)
{
    int x = 5;
    intptr_t i = (intptr_t)&x;
    int *p = (int *)i;
    assert(p == &x);
    assert(*p == 5);
    return 0;
}
