// verdict: TRUE
// fact: 2147483648 is no int: it is the next signed type that holds it
#include <assert.h>

int main(void)
{
    assert(sizeof 2147483647 == 4);
    assert(sizeof 2147483648 == 8);
    assert(-2147483648 < 0);
    return 0;
}
