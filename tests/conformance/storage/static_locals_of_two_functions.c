// verdict: TRUE
// fact: static locals of the same name are different objects
#include <assert.h>

static int f(void) { static int n; return ++n; }
static int g(void) { static int n = 10; return ++n; }

int main(void)
{
    f();
    g();
    assert(f() == 2 && g() == 12);
    return 0;
}
