// verdict: FALSE
// fact: not so: see type_is_of_the_left_operand.c
#include <assert.h>

static long long up(int i, long long n) { return i << n; }

int main(void)
{
    assert(up(1, 31) == 2147483648LL);
    assert(sizeof(1 << 1LL) == 4);
    return 0;
}
