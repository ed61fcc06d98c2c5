// verdict: TRUE
// gcc: no, an uninitialised local
// fact: an uninitialised local has one value until it is written
#include <assert.h>

int main(void)
{
    int x, a[2];
    int y = x, z = a[1];
    assert(x == y && a[1] == z);
    a[0] = 1;
    assert(a[1] == z);
    return 0;
}
