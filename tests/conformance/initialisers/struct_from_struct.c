// verdict: TRUE
// fact: a struct field can be initialised by a struct value
#include <assert.h>

struct in { int a, b; };
struct out { int x; struct in in; int y; };

int main(void)
{
    struct in i = { 2, 3 };
    struct out o = { 1, i, 4 };
    assert(o.x == 1 && o.in.a == 2 && o.in.b == 3 && o.y == 4);
    return 0;
}
