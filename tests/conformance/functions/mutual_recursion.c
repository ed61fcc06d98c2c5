// verdict: TRUE
// fact: functions can call each other
#include <assert.h>

static int odd(int n);
static int even(int n) { return n == 0 ? 1 : odd(n - 1); }
static int odd(int n) { return n == 0 ? 0 : even(n - 1); }

int main(void)
{
    assert(even(4) && odd(3) && !even(3));
    return 0;
}
