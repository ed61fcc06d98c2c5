// verdict: TRUE
// fact: return converts to the type of the function
#include <assert.h>

static unsigned char low(int i) { return i; }

int main(void)
{
    assert(low(0x1234) == 0x34);
    return 0;
}
