// verdict: FALSE
// fact: not so: see right_of_negative_keeps_sign.c
#include <assert.h>

static int down(int i, int n) { return i >> n; }

int main(void)
{
    assert(down(-8, 1) == 0x7ffffffc);
    assert(down(-1, 31) == -1);
    assert(down(-7, 1) == -4);
    return 0;
}
