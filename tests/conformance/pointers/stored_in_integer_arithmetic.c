// verdict: TRUE
// fact: arithmetic on the integer value of a pointer moves in bytes
#include <assert.h>
#include <stdint.h>

int main(void)
{
    int a[3] = { 1, 2, 3 };
    uintptr_t i = (uintptr_t)a;
    i += 2 * sizeof(int);
    assert(*(int *)i == 3);
    return 0;
}
