// verdict: TRUE
// fact: tentative definitions and the real one are one object
#include <assert.h>

int x;
int *p = &x;
int x = 4;
int x;

int main(void)
{
    assert(*p == 4);
    return 0;
}
