// verdict: TRUE
// fact: GNU C gives void and functions the size 1
#include <assert.h>

int main(void)
{
    assert(sizeof(void) == 1);
    assert(sizeof main == 1);
    return 0;
}
