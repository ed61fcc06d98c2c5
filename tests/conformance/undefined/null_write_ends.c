// verdict: TRUE
// gcc: traps
// fact: writing through null ends the run
#include <assert.h>

static void set(int *p) { *p = 1; }

int main(void)
{
    set(0);
    assert(0);
    return 0;
}
