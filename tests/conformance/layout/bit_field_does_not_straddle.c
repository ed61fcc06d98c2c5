// verdict: TRUE
// fact: a bit-field that does not fit starts the next unit
#include <assert.h>

struct s { unsigned a : 20; unsigned b : 20; };
union u { struct s s; unsigned i[2]; };

int main(void)
{
    union u u;
    u.i[0] = u.i[1] = 0;
    u.s.b = 7;
    assert(sizeof(struct s) == 8);
    assert(u.i[0] == 0 && u.i[1] == 7);
    return 0;
}
