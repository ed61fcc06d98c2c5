// verdict: TRUE
// fact: ++ makes a _Bool 1, -- toggles it
#include <assert.h>

int main(void)
{
    _Bool b = 0;
    b++;
    b++;
    assert(b == 1);
    b--;
    assert(b == 0);
    b--;
    assert(b == 1);
    return 0;
}
