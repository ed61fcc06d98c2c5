// verdict: TRUE
// fact: a long double rounds to double when it is converted
#include <assert.h>

static double narrow(long double l) { return l; }

int main(void)
{
    assert(narrow(9007199254740993.0L) == 9007199254740992.0);
    assert(narrow(0.1L) == 0.1);
    assert(0.1L != 0.1);
    return 0;
}
