// verdict: TRUE
// fact: a function the program defines is never an intrinsic
#include <assert.h>

static int called;

static void assume(int c) { called = c; }
static void exit(int c) { called += c; }

int main(void)
{
    assume(0);
    exit(3);
    assert(called == 3);
    return 0;
}
