// verdict: FALSE pointer
// options: --check pointer
// gcc: no, undefined
// fact: after realloc the old object is gone
#include <stdlib.h>

int main(void)
{
    int *p = malloc(sizeof *p);
    *p = 1;
    int *q = realloc(p, 2 * sizeof *p);
    q[0] = 1;
    return *p;
}
