// verdict: TRUE
// fact: an inner struct keeps its own padding
#include <assert.h>
#include <stddef.h>

struct inner { int i; char c; };
struct outer { char a; struct inner in; char b; };

int main(void)
{
    assert(offsetof(struct outer, in) == 4);
    assert(offsetof(struct outer, in.c) == 8);
    assert(offsetof(struct outer, b) == 12);
    assert(sizeof(struct outer) == 16);
    return 0;
}
