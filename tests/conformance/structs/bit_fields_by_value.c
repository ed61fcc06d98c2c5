// verdict: TRUE
// fact: bit-fields travel with their struct
#include <assert.h>

struct s { unsigned a : 3; int b : 5; };

static struct s next(struct s s) { s.a++; s.b--; return s; }

int main(void)
{
    struct s s = { 7, -16 };
    s = next(s);
    assert(s.a == 0);
    assert(s.b == 15);
    return 0;
}
