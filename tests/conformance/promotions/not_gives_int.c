// verdict: TRUE
// fact: ! and comparisons give an int, whatever they compare
#include <assert.h>

int main(void)
{
    long long big = 1LL << 40;
    assert(sizeof !big == 4);
    assert(sizeof(big > 0) == 4);
    assert(!big == 0 && !!big == 1);
    return 0;
}
