// verdict: FALSE
// fact: not so: see malloc_gives_fresh_objects.c
#include <assert.h>
#include <stdlib.h>

int main(void)
{
    int *p = malloc(4), *q = malloc(4);
    *p = 1;
    *q = 2;
    assert(p != q && *p == 2);
    free(p);
    assert(*q == 2);
    free(q);
    return 0;
}
