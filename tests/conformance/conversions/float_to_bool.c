// verdict: TRUE
// fact: 0.5 is true as _Bool
#include <assert.h>

static _Bool truth(double d) { return d; }

int main(void)
{
    assert(truth(0.5) == 1);
    assert(truth(-0.0) == 0);
    return 0;
}
