// verdict: TRUE
// fact: memset, memcpy and strcpy return their first argument
#include <assert.h>
#include <string.h>

int main(void)
{
    char a[4], b[4];
    assert(memset(a, 0, 4) == a);
    assert(memcpy(b, a, 4) == b);
    assert(strcpy(a, "x") == a);
    return 0;
}
