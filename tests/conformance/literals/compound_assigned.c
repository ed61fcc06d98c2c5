// verdict: TRUE
// fact: a struct can be assigned from a compound literal that reads it
#include <assert.h>

struct s { int a, b; };

int main(void)
{
    struct s s = { 1, 2 };
    s = (struct s){ s.b, s.a };
    assert(s.a == 2 && s.b == 1);
    return 0;
}
