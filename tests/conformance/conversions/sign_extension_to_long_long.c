// verdict: TRUE
// fact: int widens to long long with its sign, even on the way to unsigned long long
#include <assert.h>

static unsigned long long widen(int i) { return i; }

int main(void)
{
    assert(widen(-1) == 0xffffffffffffffffULL);
    return 0;
}
