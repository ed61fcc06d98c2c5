// verdict: TRUE
// gcc: no, an access to a freed object
// fact: a write to a freed object changes no other object
#include <assert.h>
#include <stdlib.h>

int main(void)
{
    int *p = malloc(4);
    free(p);
    int *q = malloc(4);
    *q = 1;
    *p = 2;
    assert(*q == 1);
    return 0;
}
