// verdict: TRUE
// fact: a typedef of a function type declares functions and pointers
#include <assert.h>

typedef int op(int);

static op inc;
static int inc(int x) { return x + 1; }

int main(void)
{
    op *f = inc;
    assert(f(2) == 3);
    return 0;
}
