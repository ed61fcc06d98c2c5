// verdict: TRUE
// fact: a bit-field wider than int is computed with in its own width, until a wider operand comes
#include <assert.h>

struct s { unsigned long long a : 40; long long b : 36; };

int main(void)
{
    struct s s;
    s.a = 0xffffffffffULL;
    s.b = -1;
    assert(s.a + 1 == 0);
    assert(s.a + 1ULL == 0x10000000000ULL);
    assert(s.a << 8 == 0xffffffff00ULL);
    assert(~s.a == 0);
    assert(s.b < 0 && s.b + 1u == 0);
    assert(s.b < s.a == 0 || (unsigned long long)s.b > s.a);
    s.a += 5;
    assert(s.a == 4);
    assert(sizeof(s.a + 1) == 8);
    return 0;
}
