// verdict: TRUE
// fact: a pointer one past the end can be compared and stepped back
#include <assert.h>

int main(void)
{
    int a[3] = { 1, 2, 3 };
    int sum = 0;
    for (int *p = a; p != a + 3; p++)
        sum += *p;
    assert(sum == 6);
    int *end = &a[3];
    assert(end[-1] == 3);
    return 0;
}
