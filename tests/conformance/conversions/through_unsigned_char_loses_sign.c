// verdict: TRUE
// fact: a cast through unsigned char drops the sign
#include <assert.h>

static int through(int i) { return (unsigned char)i; }

int main(void)
{
    assert(through(-1) == 255);
    assert(through(256) == 0);
    return 0;
}
