// verdict: TRUE
// fact: an object can be passed as void * and cast back
#include <assert.h>

static void set(void *p, int v) { *(int *)p = v; }

int main(void)
{
    int x = 0;
    set(&x, 7);
    assert(x == 7);
    return 0;
}
