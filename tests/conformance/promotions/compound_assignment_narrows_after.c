// verdict: TRUE
// fact: c += x adds in int and narrows the result
#include <assert.h>

static unsigned char add(unsigned char c, int x) { c += x; return c; }

int main(void)
{
    assert(add(250, 10) == 4);
    assert(add(3, -4) == 255);
    return 0;
}
