// verdict: TRUE
// options: --check bounds
// fact: accesses inside a malloced object are fine
#include <assert.h>
#include <stdlib.h>

int main(void)
{
    char *p = malloc(4);
    for (int i = 0; i < 4; i++)
        p[i] = i;
    assert(p[3] == 3);
    return 0;
}
