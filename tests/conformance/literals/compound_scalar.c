// verdict: TRUE
// fact: a compound literal can be a scalar
#include <assert.h>

static int take(int *p) { return *p + 1; }

int main(void)
{
    assert(take(&(int){ 4 }) == 5);
    return 0;
}
