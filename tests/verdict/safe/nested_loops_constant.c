#include <assert.h>

int main(void)
{
    int i, j, n = 0;
    for (i = 0; i < 30; i++)
        for (j = 0; j < 40; j++)
            n++;
    assert(n == 1200);
    return 0;
}
