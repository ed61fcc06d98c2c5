// verdict: TRUE
// fact: ?: evaluates only the arm it takes
#include <assert.h>

int main(void)
{
    int a = 0, b = 0, c = 1;
    int r = c ? ++a : ++b;
    assert(a == 1 && b == 0 && r == 1);
    return 0;
}
