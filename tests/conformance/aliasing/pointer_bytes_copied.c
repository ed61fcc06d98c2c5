// verdict: TRUE
// fact: a pointer copied byte by byte points to the same object
#include <assert.h>
#include <string.h>

int main(void)
{
    int x = 3;
    int *p = &x, *q;
    memcpy(&q, &p, sizeof q);
    *q = 4;
    assert(x == 4);
    return 0;
}
