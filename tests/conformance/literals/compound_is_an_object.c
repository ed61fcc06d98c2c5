// verdict: TRUE
// fact: a compound literal has an address and can be written
#include <assert.h>

int main(void)
{
    int *p = (int[]){ 1, 2, 3 };
    p[1] = 20;
    assert(p[0] == 1 && p[1] == 20 && p[2] == 3);
    return 0;
}
