// verdict: FALSE
// fact: not so: see sign_extension_to_long_long.c
#include <assert.h>

static unsigned long long widen(int i) { return i; }

int main(void)
{
    assert(widen(-1) == 0xffffffffULL);
    return 0;
}
