// verdict: TRUE
// fact: a function can return a function
#include <assert.h>

static int inc(int x) { return x + 1; }
static int dec(int x) { return x - 1; }
static int (*choose(int up))(int) { return up ? inc : dec; }

int main(void)
{
    assert(choose(1)(5) == 6);
    assert(choose(0)(5) == 4);
    return 0;
}
