// verdict: TRUE
// fact: a local changes through a pointer passed down two calls
#include <assert.h>

static void inner(int *p) { *p += 1; }
static void outer(int *p) { inner(p); inner(p); }

int main(void)
{
    int x = 5;
    outer(&x);
    assert(x == 7);
    return 0;
}
