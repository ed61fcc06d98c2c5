// verdict: TRUE
// fact: no object is at null
#include <assert.h>
#include <stdlib.h>

int g;

int main(void)
{
    int l;
    int *p[3] = { &g, &l, malloc(4) };
    assert(p[0] != 0 && p[1] != 0 && p[2] != 0);
    return 0;
}
