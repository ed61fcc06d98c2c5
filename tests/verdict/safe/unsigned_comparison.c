#include <assert.h>

int main(void)
{
    assert(!(-1 < 1u));
    assert(-1 < (unsigned char)1);
    return 0;
}
