// verdict: FALSE
// fact: not so: see compound_assignment_narrows_after.c
#include <assert.h>

static unsigned char add(unsigned char c, int x) { c += x; return c; }

int main(void)
{
    assert(add(250, 10) == 260);
    assert(add(3, -4) == 255);
    return 0;
}
