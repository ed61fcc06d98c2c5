// verdict: TRUE
// fact: a pointer converts to _Bool by being null or not
#include <assert.h>

static _Bool truth(int *p) { return p; }

int main(void)
{
    int x;
    assert(truth(&x) == 1);
    assert(truth(0) == 0);
    return 0;
}
