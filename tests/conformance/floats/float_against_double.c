// verdict: TRUE
// fact: 0.1f widened is not 0.1
#include <assert.h>

static int same(float f, double d) { return f == d; }

int main(void)
{
    assert(!same(0.1f, 0.1));
    assert(same(0.5f, 0.5));
    return 0;
}
