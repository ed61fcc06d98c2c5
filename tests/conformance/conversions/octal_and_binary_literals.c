// verdict: TRUE
// fact: a leading 0 is octal, 0b is binary
#include <assert.h>

int main(void)
{
    assert(0777 == 511);
    assert(0b1010 == 10);
    assert(010 + 10 == 18);
    return 0;
}
