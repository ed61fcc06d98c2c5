// verdict: FALSE pointer
// options: --check pointer
// gcc: no, an access to a freed object
// fact: a read of a freed object is found
#include <stdlib.h>

int main(void)
{
    int *p = malloc(4);
    *p = 1;
    free(p);
    return *p;
}
