// verdict: TRUE
// fact: what one pointer writes the other reads
#include <assert.h>

static int set_both(int *p, int *q) { *p = 1; *q = 2; return *p; }

int main(void)
{
    int x, y;
    assert(set_both(&x, &y) == 1);
    assert(set_both(&x, &x) == 2);
    return 0;
}
