// verdict: FALSE
// fact: not so: see bit_fields_share_a_unit.c
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
    assert(u.i == (5u << 29));
    return 0;
}
