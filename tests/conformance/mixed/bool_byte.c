// verdict: TRUE
// fact: a _Bool is a byte of 0 or 1
#include <assert.h>

int main(void)
{
    _Bool b = 42;
    unsigned char *p = (unsigned char *)&b;
    assert(*p == 1);
    *p = 0;
    assert(!b);
    return 0;
}
