// verdict: TRUE
// gcc: no, an input
// fact: a table called at any index runs the function there
#include <assert.h>

extern unsigned __VERIFIER_nondet_uint(void);

static int zero(void) { return 0; }
static int one(void) { return 1; }
static int two(void) { return 2; }

static int (*const table[3])(void) = { zero, one, two };

int main(void)
{
    unsigned i = __VERIFIER_nondet_uint() % 3;
    assert(table[i]() == i);
    return 0;
}
