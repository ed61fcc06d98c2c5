// verdict: FALSE
// fact: not so: see again_on_every_entry.c
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
    assert(sum == 11);
    return 0;
}
