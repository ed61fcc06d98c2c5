// verdict: FALSE
// fact: not so: see struct_copied_by_bytes.c
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
    assert(b.c == 'x' && b.h == 254 && b.i == 70000);
    return 0;
}
