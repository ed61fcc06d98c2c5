// verdict: TRUE
// fact: function pointers compare equal only to their function
#include <assert.h>

static void f(void) { }
static void g(void) { }

int main(void)
{
    void (*p)(void) = f;
    assert(p == f && p == &f && p != g && p != 0);
    return 0;
}
