// verdict: TRUE
// fact: unary minus of an unsigned char is a negative int
#include <assert.h>

static int opposite(unsigned char c) { return -c; }

int main(void)
{
    assert(opposite(5) == -5);
    assert(opposite(255) < 0);
    return 0;
}
