// verdict: TRUE
// fact: an argument converts to the type of its parameter
#include <assert.h>

static int same(signed char c) { return c; }

int main(void)
{
    assert(same(0x180) == -128);
    assert(same(3.99) == 3);
    return 0;
}
