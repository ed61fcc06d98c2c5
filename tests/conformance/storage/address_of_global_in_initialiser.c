// verdict: TRUE
// fact: a global can be initialised with the address of another, and an offset
#include <assert.h>

int a[4] = { 1, 2, 3, 4 };
int *p = &a[1];
int *q = a + 3;
char *c = (char *)a + 4;

int main(void)
{
    assert(*p == 2 && *q == 4 && q - p == 2);
    assert(*(int *)c == 2);
    return 0;
}
