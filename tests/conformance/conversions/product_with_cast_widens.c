// verdict: TRUE
// fact: a cast of one operand makes the whole product wide
#include <assert.h>

static long long product(int a, int b) { return (long long)a * b; }

int main(void)
{
    assert(product(1 << 20, 1 << 20) == 1LL << 40);
    assert(product(-65536, 65536) == -4294967296LL);
    return 0;
}
