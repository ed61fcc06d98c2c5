// verdict: TRUE
// fact: an unsigned bit-field narrower than int promotes to int
#include <assert.h>

struct s { unsigned a : 3; unsigned b : 32; };

int main(void)
{
    struct s s = { 1, 1 };
    assert(s.a - 2 < 0);
    assert(s.b - 2 > 0);
    return 0;
}
