// verdict: TRUE
// fact: the difference of pointers is signed
#include <assert.h>

int main(void)
{
    char a[4];
    char *p = a, *q = a + 3;
    assert(p - q < 0);
    assert(sizeof(p - q) == sizeof(void *));
    return 0;
}
