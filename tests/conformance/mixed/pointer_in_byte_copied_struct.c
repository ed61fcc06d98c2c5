// verdict: TRUE
// fact: pointers to data and functions survive a copy by bytes
#include <assert.h>
#include <string.h>

struct s { int *p; int (*f)(int); };

static int inc(int x) { return x + 1; }

int main(void)
{
    int x = 4;
    struct s a = { &x, inc }, b;
    unsigned char raw[sizeof a];
    memcpy(raw, &a, sizeof a);
    memcpy(&b, raw, sizeof b);
    *b.p = b.f(*b.p);
    assert(x == 5);
    return 0;
}
