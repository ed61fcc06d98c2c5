// verdict: TRUE
// fact: a pointer to an outer local stays valid over iterations
#include <assert.h>

int main(void)
{
    int sum = 0, *p = &sum;
    for (int i = 1; i <= 3; i++) {
        int local = i;
        int *q = &local;
        *p += *q;
        *q = 100;
    }
    assert(sum == 6);
    return 0;
}
