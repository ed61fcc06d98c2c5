// verdict: TRUE
// fact: a designator can reach into nested objects
#include <assert.h>

struct in { int a[3]; int b; };
struct out { int x; struct in in[2]; };

int main(void)
{
    struct out o = { .in[1].a[2] = 9, 10, .x = 1 };
    assert(o.x == 1 && o.in[1].a[2] == 9 && o.in[1].b == 10 && o.in[0].b == 0);
    return 0;
}
