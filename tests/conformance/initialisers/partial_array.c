// verdict: TRUE
// fact: elements without initialiser are zero
#include <assert.h>

int main(void)
{
    int a[4] = { 1, 2 };
    assert(a[0] == 1 && a[1] == 2 && a[2] == 0 && a[3] == 0);
    return 0;
}
