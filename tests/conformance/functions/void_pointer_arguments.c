// verdict: TRUE
// fact: a generic swap by bytes works for any type
#include <assert.h>

static void swap(void *a, void *b, unsigned n)
{
    char *p = a, *q = b;
    while (n--) {
        char t = *p;
        *p++ = *q;
        *q++ = t;
    }
}

int main(void)
{
    short x = 0x0102, y = 0x0304;
    swap(&x, &y, sizeof x);
    assert(x == 0x0304 && y == 0x0102);
    return 0;
}
