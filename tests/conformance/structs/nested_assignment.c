// verdict: TRUE
// fact: an inner struct can be assigned alone
#include <assert.h>

struct in { int a, b; };
struct out { int x; struct in in; int y; };

int main(void)
{
    struct out o = { 1, { 2, 3 }, 4 };
    struct in i = { 20, 30 };
    o.in = i;
    assert(o.x == 1 && o.in.a == 20 && o.in.b == 30 && o.y == 4);
    return 0;
}
