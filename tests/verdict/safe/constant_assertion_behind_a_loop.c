#include <assert.h>

int main(void)
{
    unsigned i, n = 0;
    for (i = 0; i < 50; i++)
        n += i;
    assert((255 + 3) % 4 == 2);
    return n;
}
