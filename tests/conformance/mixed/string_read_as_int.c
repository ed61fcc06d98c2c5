// verdict: TRUE
// fact: a char array can be read as one int
#include <assert.h>

int main(void)
{
    char s[4] __attribute__((aligned(4))) = "ABC";
    assert(*(int *)s == 0x00434241);
    return 0;
}
