// verdict: TRUE
// fact: operands of type unsigned char are added as int
#include <assert.h>

static int sum(unsigned char a, unsigned char b) { return a + b; }

int main(void)
{
    assert(sum(200, 100) == 300);
    return 0;
}
