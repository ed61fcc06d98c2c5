// verdict: TRUE
// fact: switch compares the promoted value of a char
#include <assert.h>

static int kind(unsigned char c)
{
    switch (c) {
    case -1: return 1;
    case 255: return 2;
    default: return 3;
    }
}

int main(void)
{
    assert(kind(255) == 2);
    return 0;
}
