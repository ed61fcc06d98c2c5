// verdict: UNKNOWN
// gcc: no, gcc knows what the instruction does
// fact: inline assembly is an unsupported obligation
#include <assert.h>

int main(void)
{
    int x = 1;
    __asm__ volatile("nop" : "+r"(x));
    assert(x == 1);
    return 0;
}
