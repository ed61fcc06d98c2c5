// verdict: TRUE
// fact: realloc keeps the contents
#include <assert.h>
#include <stdlib.h>

int main(void)
{
    int *p = malloc(2 * sizeof *p);
    p[0] = 1;
    p[1] = 2;
    p = realloc(p, 3 * sizeof *p);
    p[2] = 3;
    assert(p[0] == 1 && p[1] == 2 && p[2] == 3);
    return 0;
}
