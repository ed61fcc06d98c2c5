// verdict: TRUE
// fact: a signed char shifts right as a sign-extended int
#include <assert.h>

static int down(signed char c, int n) { return c >> n; }

int main(void)
{
    assert(down(-128, 7) == -1);
    assert(down(-128, 31) == -1);
    return 0;
}
