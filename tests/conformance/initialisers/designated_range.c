// verdict: TRUE
// fact: GNU ranges initialise every element in them
#include <assert.h>

int main(void)
{
    int a[6] = { [1 ... 3] = 7, 8 };
    assert(a[0] == 0 && a[1] == 7 && a[3] == 7 && a[4] == 8 && a[5] == 0);
    return 0;
}
