// verdict: TRUE
// fact: a function pointer can be replaced through a pointer to it
#include <assert.h>

static int one(void) { return 1; }
static int two(void) { return 2; }
static void replace(int (**p)(void)) { *p = two; }

int main(void)
{
    int (*f)(void) = one;
    replace(&f);
    assert(f() == 2);
    return 0;
}
