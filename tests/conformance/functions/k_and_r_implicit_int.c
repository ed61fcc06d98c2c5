// verdict: TRUE
// fact: an old-style parameter and result without type are ints
#include <assert.h>

twice(x) { return x + x; }

int main(void)
{
    assert(twice(21) == 42);
    return 0;
}
