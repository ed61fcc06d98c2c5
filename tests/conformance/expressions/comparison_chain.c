// verdict: TRUE
// fact: 3 > 2 > 1 is false
#include <assert.h>

static int chain(int a, int b, int c) { return a > b > c; }

int main(void)
{
    assert(chain(3, 2, 1) == 0);
    assert(chain(3, 2, 0) == 1);
    return 0;
}
