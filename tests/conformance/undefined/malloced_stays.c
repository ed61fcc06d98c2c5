// verdict: TRUE
// gcc: no, an uninitialised object
// fact: malloced memory holds the same value until it is written
#include <assert.h>
#include <stdlib.h>

int main(void)
{
    int *p = malloc(8);
    int x = p[1];
    p[0] = 3;
    assert(p[1] == x);
    return 0;
}
