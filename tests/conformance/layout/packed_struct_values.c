// verdict: TRUE
// fact: fields of a packed struct do not overlap
#include <assert.h>

struct s { char c; int i; short h; } __attribute__((packed));

int main(void)
{
    struct s s;
    s.c = 1;
    s.h = 3;
    s.i = -2;
    assert(s.c == 1 && s.i == -2 && s.h == 3);
    return 0;
}
