// verdict: TRUE
// fact: three levels of pointers lead to one object
#include <assert.h>

int main(void)
{
    int x = 1;
    int *p = &x;
    int **q = &p;
    int ***r = &q;
    ***r = 5;
    assert(x == 5);
    int y = 6;
    **r = &y;
    assert(*p == 6 && x == 5);
    return 0;
}
