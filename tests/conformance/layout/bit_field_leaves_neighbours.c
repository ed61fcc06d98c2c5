// verdict: TRUE
// fact: a store to a bit-field leaves its neighbours
#include <assert.h>

struct s { unsigned a : 3; unsigned b : 7; unsigned c : 6; };

int main(void)
{
    struct s s = { 7, 127, 63 };
    s.b = 0;
    assert(s.a == 7 && s.b == 0 && s.c == 63);
    s.b--;
    s.a = 0;
    assert(s.a == 0 && s.b == 127 && s.c == 63);
    return 0;
}
