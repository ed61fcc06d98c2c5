// verdict: TRUE
// fact: a[i], i[a] and *(a + i) are the same
#include <assert.h>

int main(void)
{
    int a[3] = { 1, 2, 3 };
    assert(2[a] == 3);
    assert(*(1 + a) == a[1]);
    return 0;
}
