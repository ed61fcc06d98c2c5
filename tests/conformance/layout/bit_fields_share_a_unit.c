// verdict: TRUE
// fact: bit-fields fill a unit from its lowest bit
#include <assert.h>

struct s { unsigned a : 3; unsigned b : 5; unsigned c : 8; };
union u { struct s s; unsigned i; };

int main(void)
{
    union u u;
    u.i = 0;
    u.s.a = 5;
    u.s.b = 1;
    u.s.c = 2;
    assert(sizeof(struct s) == 4);
    assert(u.i == (5 | 1 << 3 | 2 << 8));
    return 0;
}
