// verdict: FALSE
// fact: not so: see memset_bytes.c
#include <assert.h>
#include <string.h>

int main(void)
{
    int a[3] = { 7, 7, 7 };
    memset(a, 1, 2 * sizeof(int));
    assert(a[0] == 1 && a[1] == 0x01010101 && a[2] == 7);
    memset(a, -1, sizeof a);
    assert(a[2] == -1);
    return 0;
}
