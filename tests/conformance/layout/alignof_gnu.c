// verdict: TRUE
// fact: __alignof__ gives the preferred alignment, which is 8 for long long and double in both models
#include <assert.h>

int main(void)
{
    assert(__alignof__(long long) == 8 && __alignof__(double) == 8);
    assert(__alignof__(int) == 4);
    return 0;
}
