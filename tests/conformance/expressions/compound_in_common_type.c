// verdict: TRUE
// fact: i *= 1.5 computes in double
#include <assert.h>

int main(void)
{
    int i = 3;
    i *= 1.5;
    assert(i == 4);
    i += 0.99;
    assert(i == 4);
    return 0;
}
