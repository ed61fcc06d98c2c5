// verdict: TRUE
// fact: a const table is read at a computed index
#include <assert.h>

static const unsigned char bits[16] = { 0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4 };

static int count(unsigned char c) { return bits[c >> 4] + bits[c & 15]; }

int main(void)
{
    assert(count(0xf7) == 7);
    assert(count(0) == 0);
    return 0;
}
