// verdict: TRUE
// fact: b += 2 leaves a _Bool at 1
#include <assert.h>

int main(void)
{
    _Bool b = 1;
    b += 2;
    assert(b == 1);
    b -= 1;
    assert(b == 0);
    b |= 4;
    assert(b == 1);
    return 0;
}
