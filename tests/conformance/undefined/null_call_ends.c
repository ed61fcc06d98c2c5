// verdict: TRUE
// gcc: traps
// fact: calling a null function pointer ends the run
#include <assert.h>

static int call(int (*f)(void)) { return f(); }

int main(void)
{
    int x = call(0);
    assert(0);
    return x;
}
