// verdict: TRUE
// fact: a bit-field wider than int keeps all its bits
#include <assert.h>

struct s { unsigned long long a : 40; unsigned long long b : 24; };

int main(void)
{
    struct s s;
    s.a = 0x123456789aULL;
    s.b = 0xabcdef;
    assert(sizeof s == 8);
    assert(s.a == 0x123456789aULL && s.b == 0xabcdef);
    return 0;
}
