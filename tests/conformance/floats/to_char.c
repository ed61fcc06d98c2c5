// verdict: TRUE
// fact: a double converts to a narrow integer by truncation
#include <assert.h>

static signed char whole(double d) { return d; }

int main(void)
{
    assert(whole(-100.7) == -100);
    assert(whole(127.9) == 127);
    return 0;
}
