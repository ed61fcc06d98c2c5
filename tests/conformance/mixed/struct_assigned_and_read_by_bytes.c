// verdict: TRUE
// fact: a struct assignment carries every field byte
#include <assert.h>

struct s { short a; short b; };

int main(void)
{
    struct s x = { 0x0102, 0x0304 }, y;
    y = x;
    unsigned char *p = (unsigned char *)&y;
    assert(p[0] == 2 && p[1] == 1 && p[2] == 4 && p[3] == 3);
    return 0;
}
