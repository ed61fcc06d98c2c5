// verdict: TRUE
// fact: gcc keeps a function pointer stored in a void *
#include <assert.h>

static int seven(void) { return 7; }

int main(void)
{
    void *p = (void *)seven;
    int (*f)(void) = p;
    assert(f() == 7);
    return 0;
}
