// verdict: TRUE
// options: --check pointer
// fact: free after the last use is fine
#include <assert.h>
#include <stdlib.h>

int main(void)
{
    int *p = malloc(4), *q = malloc(4);
    *p = *q = 2;
    free(p);
    assert(*q == 2);
    free(q);
    return 0;
}
