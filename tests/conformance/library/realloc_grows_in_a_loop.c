// verdict: TRUE
// fact: an array that grows by realloc keeps its elements
#include <assert.h>
#include <stdlib.h>

int main(void)
{
    int *p = NULL;
    for (int n = 0; n < 4; n++) {
        p = realloc(p, (n + 1) * sizeof *p);
        p[n] = n * n;
    }
    assert(p[0] == 0 && p[1] == 1 && p[2] == 4 && p[3] == 9);
    free(p);
    return 0;
}
