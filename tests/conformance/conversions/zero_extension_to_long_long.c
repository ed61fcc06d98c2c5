// verdict: TRUE
// fact: unsigned widens to long long with zeros
#include <assert.h>

static long long widen(unsigned u) { return u; }

int main(void)
{
    assert(widen(-1) == 4294967295LL);
    return 0;
}
