// verdict: TRUE
// gcc: no, gcc evaluates arguments from the right on x86
// fact: arguments are evaluated from left to right
#include <assert.h>

static int n;
static int next(void) { return n++; }
static int pair(int a, int b) { return a * 10 + b; }

int main(void)
{
    assert(pair(next(), next()) == 1);
    return 0;
}
