// verdict: TRUE
// fact: what was written to a malloced object stays
#include <assert.h>
#include <stdlib.h>

int main(void)
{
    int *p = malloc(3 * sizeof *p);
    for (int i = 0; i < 3; i++)
        p[i] = i * i;
    assert(p[0] == 0 && p[1] == 1 && p[2] == 4);
    free(p);
    return 0;
}
