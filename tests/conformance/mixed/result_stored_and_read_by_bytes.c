// verdict: TRUE
// fact: the result of a call is stored whole and read in bytes
#include <assert.h>

static unsigned make(void) { return 0xdeadbeef; }

int main(void)
{
    unsigned x = make();
    unsigned char *p = (unsigned char *)&x;
    assert(p[0] == 0xef && p[3] == 0xde);
    return 0;
}
