// verdict: FALSE
// gcc: no, an access to a freed object
// fact: a read of a freed object can give any value
#include <assert.h>
#include <stdlib.h>

int main(void)
{
    int *p = malloc(4);
    *p = 1;
    free(p);
    assert(*p == 1);
    return 0;
}
