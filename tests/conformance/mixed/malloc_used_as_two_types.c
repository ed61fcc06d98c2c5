// verdict: TRUE
// fact: malloced memory written as ints can be read as bytes
#include <assert.h>
#include <stdlib.h>

int main(void)
{
    int *p = malloc(8);
    p[0] = 0x01020304;
    p[1] = -1;
    unsigned char *c = (unsigned char *)p;
    assert(c[0] == 4 && c[3] == 1 && c[4] == 255);
    c[7] = 0;
    assert(p[1] == 0x00ffffff);
    return 0;
}
