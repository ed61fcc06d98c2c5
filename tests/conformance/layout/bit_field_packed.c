// verdict: TRUE
// fact: packed bit-fields straddle units
#include <assert.h>

struct s { unsigned a : 20; unsigned b : 20; } __attribute__((packed));

int main(void)
{
    struct s s;
    s.a = 0xabcde;
    s.b = 0x12345;
    assert(sizeof s == 5);
    assert(s.a == 0xabcde && s.b == 0x12345);
    return 0;
}
