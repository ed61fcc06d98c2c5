// verdict: TRUE
// fact: memcpy copies bytes
#include <assert.h>
#include <string.h>

int main(void)
{
    int a[4] = { 1, 2, 3, 4 }, b[4] = { 0 };
    memcpy(b + 1, a, 2 * sizeof(int));
    assert(b[0] == 0 && b[1] == 1 && b[2] == 2 && b[3] == 0);
    return 0;
}
