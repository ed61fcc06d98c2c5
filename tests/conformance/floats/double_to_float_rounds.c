// verdict: TRUE
// fact: a conversion to float rounds to nearest
#include <assert.h>

static float narrow(double d) { return d; }

int main(void)
{
    assert(narrow(1.0 + 1e-9) == 1.0f);
    assert(narrow(16777217.0) == 16777216.0f);
    assert(narrow(3.5) == 3.5f);
    return 0;
}
