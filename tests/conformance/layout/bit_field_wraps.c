// verdict: TRUE
// fact: a bit-field keeps the low bits of what is stored
#include <assert.h>

struct s { unsigned u : 3; int i : 3; };

int main(void)
{
    struct s s;
    s.u = 9;
    s.i = 5;
    assert(s.u == 1);
    assert(s.i == -3);
    return 0;
}
