// verdict: UNKNOWN
// gcc: no, gcc knows where it goes
// fact: computed goto is an unsupported obligation
#include <assert.h>

int main(void)
{
    void *where = &&there;
    int x = 0;
    goto *where;
    x = 1;
there:
    assert(x == 0);
    return 0;
}
