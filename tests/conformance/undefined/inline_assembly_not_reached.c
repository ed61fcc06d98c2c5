// verdict: TRUE
// fact: inline assembly that no run reaches blocks nothing
#include <assert.h>

static int zero(void) { return 0; }

int main(void)
{
    int x = 1;
    if (zero())
        __asm__ volatile("nop" : "+r"(x));
    assert(x == 1);
    return 0;
}
