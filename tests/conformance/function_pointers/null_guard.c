// verdict: TRUE
// fact: a null handler can be skipped
#include <assert.h>

static int calls;
static void hit(void) { calls++; }

static void fire(void (*handler)(void)) { if (handler) handler(); }

int main(void)
{
    fire(0);
    fire(hit);
    assert(calls == 1);
    return 0;
}
