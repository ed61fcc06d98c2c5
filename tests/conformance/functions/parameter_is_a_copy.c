// verdict: TRUE
// fact: assigning a parameter leaves the argument
#include <assert.h>

static int count(int n) { int r = 0; while (n-- > 0) r++; return r; }

int main(void)
{
    int n = 3;
    assert(count(n) == 3 && n == 3);
    return 0;
}
