// verdict: TRUE
// fact: both promote to int before they are compared
#include <assert.h>

static int below(short s, unsigned short u) { return s < u; }

int main(void)
{
    assert(below(-1, 1));
    return 0;
}
