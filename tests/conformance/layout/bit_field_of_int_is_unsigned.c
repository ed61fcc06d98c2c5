// verdict: FALSE
// fact: not so: see bit_field_wraps.c
#include <assert.h>

struct s { unsigned u : 3; int i : 3; };

int main(void)
{
    struct s s;
    s.u = 9;
    s.i = 5;
    assert(s.u == 1);
    assert(s.i == 5);
    return 0;
}
