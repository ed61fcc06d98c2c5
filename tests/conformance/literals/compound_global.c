// verdict: TRUE
// fact: a compound literal outside functions lives forever
#include <assert.h>

int *p = (int[]){ 7, 8 };

int main(void)
{
    p[0]++;
    assert(p[0] == 8 && p[1] == 8);
    return 0;
}
