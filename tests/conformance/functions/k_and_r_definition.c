// verdict: TRUE
// fact: an old-style definition takes promoted arguments
#include <assert.h>

static int sum(a, c, s)
    int a;
    char c;
    short s;
{
    return a + c + s;
}

int main(void)
{
    assert(sum(1, 2, 3) == 6);
    assert(sum(0, 0x181, 0) == -127);
    return 0;
}
