// verdict: FALSE
// fact: not so: see memcmp_orders.c
#include <assert.h>
#include <string.h>

int main(void)
{
    char a[3] = { 1, 2, 3 }, b[3] = { 1, 2, -3 };
    assert(memcmp(a, b, 2) == 0);
    assert(memcmp(a, b, 3) > 0);
    assert(memcmp(b, a, 3) > 0);
    return 0;
}
