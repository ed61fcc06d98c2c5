// verdict: FALSE
// fact: not so: see exit_in_a_function.c
#include <assert.h>
#include <stdlib.h>

static void leave(int c) { if (c > 1) exit(0); }

int main(void)
{
    leave(0);
    leave(1);
    assert(0);
    return 0;
}
