// verdict: TRUE
// fact: p[-1] is the element before p
#include <assert.h>

int main(void)
{
    int a[3] = { 1, 2, 3 };
    int *p = a + 2;
    assert(p[-1] == 2 && p[-2] == 1);
    return 0;
}
