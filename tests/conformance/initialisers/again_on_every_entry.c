// verdict: TRUE
// fact: a local with initialiser is initialised on each entry of its block
#include <assert.h>

int main(void)
{
    int sum = 0;
    for (int i = 0; i < 3; i++) {
        int a[2] = { 1 };
        a[0] += i;
        a[1] += i;
        sum += a[0] + a[1];
    }
    assert(sum == 9);
    return 0;
}
