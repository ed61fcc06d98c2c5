// verdict: TRUE
// fact: a conversion to unsigned reaches above INT_MAX
#include <assert.h>

static unsigned whole(double d) { return d; }

int main(void)
{
    assert(whole(3000000000.5) == 3000000000u);
    return 0;
}
