// verdict: TRUE
// fact: a function pointer in a struct is called with its object
#include <assert.h>

struct counter { int n; void (*step)(struct counter *); };

static void up(struct counter *c) { c->n++; }
static void down(struct counter *c) { c->n--; }

int main(void)
{
    struct counter a = { 0, up }, b = { 0, down };
    a.step(&a);
    b.step(&b);
    b.step(&b);
    assert(a.n == 1 && b.n == -2);
    return 0;
}
