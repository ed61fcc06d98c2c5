// verdict: FALSE
// fact: not so: see to_int_truncates.c
#include <assert.h>

static int whole(double d) { return d; }

int main(void)
{
    assert(whole(3.99) == 3);
    assert(whole(-3.99) == -4);
    assert(whole(-0.5) == 0);
    return 0;
}
