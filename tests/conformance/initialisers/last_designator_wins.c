// verdict: TRUE
// fact: a later initialiser of the same field replaces the earlier
#include <assert.h>

struct s { int a, b; };

int main(void)
{
    struct s s = { .a = 1, .b = 2, .a = 3 };
    int v[3] = { [1] = 4, [1] = 5 };
    assert(s.a == 3 && s.b == 2 && v[1] == 5);
    return 0;
}
