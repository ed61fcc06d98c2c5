// verdict: TRUE
// fact: a comparison of int and float rounds the int
#include <assert.h>

static int same(int i, float f) { return i == f; }

int main(void)
{
    assert(same(16777217, 16777216.0f));
    assert(!same(16777218, 16777216.0f));
    return 0;
}
