// verdict: TRUE
// fact: 1.0 is a double, 1.0f a float
#include <assert.h>

int main(void)
{
    assert(sizeof 1.0 == 8 && sizeof 1.0f == 4);
    assert(sizeof 1.0L == sizeof(long double));
    assert(sizeof(1.0f + 1) == 4 && sizeof(1.0f + 1.0) == 8);
    return 0;
}
