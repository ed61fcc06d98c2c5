// verdict: TRUE
// fact: char is signed on x86
#include <assert.h>

static int widen(char c) { return c; }

int main(void)
{
    assert(widen('\xff') == -1);
    assert(widen(200) == -56);
    return 0;
}
