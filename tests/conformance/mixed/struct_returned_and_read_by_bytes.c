// verdict: TRUE
// fact: a returned struct can be stored and read in bytes
#include <assert.h>

struct s { int a; short b; };

static struct s make(int v) { struct s s = { v, v + 1 }; return s; }

int main(void)
{
    struct s s = make(0x0506);
    unsigned char *p = (unsigned char *)&s;
    assert(p[0] == 6 && p[1] == 5 && p[4] == 7);
    return 0;
}
