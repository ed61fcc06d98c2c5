// verdict: TRUE
// fact: a decimal literal is the nearest double
#include <assert.h>

static double same(double d) { return d; }

int main(void)
{
    assert(same(9007199254740993.0) == 9007199254740992.0);
    assert(same(0.1) == 0x1.999999999999ap-4);
    assert(0.1f == 0x1.99999ap-4f);
    return 0;
}
