// verdict: FALSE
// fact: not so: see switch_promotes_its_value.c
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
    assert(kind(255) == 1);
    return 0;
}
