// verdict: FALSE
// fact: not so: see remainder_has_sign_of_dividend.c
#include <assert.h>

static int rest(int a, int b) { return a % b; }

int main(void)
{
    assert(rest(-7, 3) == -1);
    assert(rest(7, -3) == -2);
    assert(rest(-7, -3) == -1);
    return 0;
}
