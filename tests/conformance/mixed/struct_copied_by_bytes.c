// verdict: TRUE
// fact: a struct copied in a loop over its bytes is the same
#include <assert.h>

struct s { char c; short h; int i; };

static void copy(void *to, const void *from, unsigned n)
{
    char *d = to;
    const char *s = from;
    while (n--)
        *d++ = *s++;
}

int main(void)
{
    struct s a = { 'x', -2, 70000 }, b;
    copy(&b, &a, sizeof b);
    assert(b.c == 'x' && b.h == -2 && b.i == 70000);
    return 0;
}
