// verdict: TRUE
// fact: bit-fields are seen in the bytes of their struct
#include <assert.h>
#include <string.h>

struct s { unsigned a : 4; unsigned b : 8; unsigned c : 20; };

int main(void)
{
    struct s s;
    memset(&s, 0, sizeof s);
    s.b = 0xab;
    unsigned char *p = (unsigned char *)&s;
    assert(p[0] == 0xb0 && p[1] == 0x0a && p[2] == 0);
    p[0] = 0xff;
    assert(s.a == 15 && s.b == 0xaf);
    return 0;
}
