// verdict: TRUE
// fact: u %= -3 takes the divisor as unsigned
#include <assert.h>

int main(void)
{
    unsigned u = 10;
    u %= -3;
    assert(u == 10);
    int i = -10;
    i %= 3;
    assert(i == -1);
    return 0;
}
