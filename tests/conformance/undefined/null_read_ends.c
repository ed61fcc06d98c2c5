// verdict: TRUE
// gcc: traps
// fact: reading through null ends the run
#include <assert.h>

static int get(int *p) { return *p; }

int main(void)
{
    int x = get(0);
    assert(0);
    return x;
}
