// verdict: FALSE
// options: --entry step
// gcc: no, an input
// fact: a pointer parameter of the entry can be null
#include <assert.h>

void step(int *p) { assert(p != 0); }
