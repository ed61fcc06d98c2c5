// verdict: FALSE bounds
// options: --check bounds
// gcc: no, gcc does not look for accesses outside
// fact: an access past the end of a malloced object is found
#include <stdlib.h>

int main(void)
{
    char *p = malloc(4);
    for (int i = 0; i <= 4; i++)
        p[i] = 0;
    return 0;
}
