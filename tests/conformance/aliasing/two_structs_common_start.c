// verdict: TRUE
// fact: a struct can be read as another that starts alike
#include <assert.h>

struct base { int kind; };
struct derived { struct base base; int value; };

static int kind(struct base *b) { return b->kind; }
static int value(struct base *b) { return ((struct derived *)b)->value; }

int main(void)
{
    struct derived d = { { 4 }, 5 };
    assert(kind(&d.base) == 4);
    assert(value((struct base *)&d) == 5);
    return 0;
}
