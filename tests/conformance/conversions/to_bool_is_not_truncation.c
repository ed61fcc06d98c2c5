// verdict: TRUE
// fact: a conversion to _Bool compares with zero
#include <assert.h>

static _Bool truth(int i) { return i; }

int main(void)
{
    assert(truth(256) == 1);
    assert(truth(-2) == 1);
    assert(truth(0) == 0);
    return 0;
}
