// verdict: TRUE
// fact: a volatile object that the program writes is an ordinary one
#include <assert.h>

volatile int cell;

static void set(int v) { cell = v; }

int main(void)
{
    set(4);
    assert(cell == 4);
    return 0;
}
