// verdict: FALSE
// options: --entry step
// gcc: no, an input
// fact: a parameter of the entry can have any value
#include <assert.h>

void step(int x) { assert(x != 1234567); }
