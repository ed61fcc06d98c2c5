// verdict: TRUE
// fact: (a / b) * b + a % b is a
#include <assert.h>

static int again(int a, int b) { return a / b * b + a % b; }

int main(void)
{
    for (int a = -3; a <= 3; a++) {
        assert(again(a, 2) == a);
        assert(again(a, -2) == a);
    }
    return 0;
}
