// verdict: FALSE
// fact: not so: see global_initialiser_read_by_bytes.c
#include <assert.h>

unsigned g = 0x0a0b0c0d;
short a[2] = { 0x0102, 0x0304 };

static int byte(void *p, int i) { return ((unsigned char *)p)[i]; }

int main(void)
{
    assert(byte(&g, 1) == 0x0b);
    assert(byte(a, 0) == 2 && byte(a, 3) == 3);
    return 0;
}
