// verdict: TRUE
// fact: bit-fields of type unsigned char live in bytes
#include <assert.h>

struct s { unsigned char a : 6; unsigned char b : 6; unsigned char c : 2; };

int main(void)
{
    assert(sizeof(struct s) == 2);
    struct s s = { 63, 1, 2 };
    assert(s.a == 63 && s.b == 1 && s.c == 2);
    return 0;
}
