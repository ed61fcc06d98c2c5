// verdict: TRUE
// fact: a long long put together from two ints is read whole
#include <assert.h>

struct pair { unsigned low, high; };

int main(void)
{
    long long x;
    struct pair *p = (struct pair *)&x;
    p->low = 5;
    p->high = 1;
    assert(x == 0x100000005LL);
    return 0;
}
