// verdict: TRUE
// fact: GNU x ?: y evaluates x once
#include <assert.h>

int main(void)
{
    int i = 3, j = 0;
    assert((i++ ?: 9) == 3 && i == 4);
    assert((j ?: 9) == 9);
    return 0;
}
