// verdict: TRUE
// fact: p += n and p -= n step in elements
#include <assert.h>

int main(void)
{
    long long a[5] = { 0, 1, 2, 3, 4 };
    long long *p = a;
    p += 4;
    p -= 1;
    assert(*p == 3);
    assert(p - a == 3);
    return 0;
}
