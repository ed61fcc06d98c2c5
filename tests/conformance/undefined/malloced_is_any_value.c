// verdict: FALSE
// gcc: no, an uninitialised object
// fact: malloced memory can hold any value
#include <assert.h>
#include <stdlib.h>

int main(void)
{
    int *p = malloc(8);
    assert(p[1] == 0);
    return 0;
}
