// verdict: TRUE
// fact: i /= u divides as unsigned
#include <assert.h>

int main(void)
{
    int i = -4;
    unsigned u = 2;
    i /= u;
    assert(i == 0x7ffffffe);
    return 0;
}
