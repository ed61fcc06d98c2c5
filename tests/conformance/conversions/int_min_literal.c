// verdict: TRUE
// fact: -2147483647 - 1 is an int
#include <assert.h>
#include <limits.h>

int main(void)
{
    assert(INT_MIN == -2147483647 - 1);
    assert(sizeof INT_MIN == 4);
    assert(INT_MAX + INT_MIN == -1);
    return 0;
}
