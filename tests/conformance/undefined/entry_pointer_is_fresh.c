// verdict: TRUE
// options: --entry step
// gcc: no, an input
// fact: a pointer parameter of the entry overlaps no other object
#include <assert.h>

int g = 1;

void step(int *p)
{
    if (p)
        *p = 9;
    assert(g == 1);
}
