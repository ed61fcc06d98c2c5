// verdict: TRUE
// fact: exit ends the run from inside a call
#include <assert.h>
#include <stdlib.h>

static void leave(int c) { if (c) exit(0); }

int main(void)
{
    leave(0);
    leave(1);
    assert(0);
    return 0;
}
