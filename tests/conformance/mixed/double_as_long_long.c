// verdict: TRUE
// fact: the bits of a double can be changed as a long long
#include <assert.h>

int main(void)
{
    double d = 1.0;
    unsigned long long *p = (unsigned long long *)&d;
    assert(*p == 0x3ff0000000000000ULL);
    ++*p;
    assert(d > 1.0 && d - 1.0 == 0x1p-52);
    return 0;
}
