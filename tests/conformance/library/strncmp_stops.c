// verdict: TRUE
// fact: strncmp stops at its count
#include <assert.h>
#include <string.h>

int main(void)
{
    char s[] = "abc";
    assert(strncmp(s, "abx", 2) == 0);
    assert(strncmp(s, "abx", 3) < 0);
    assert(strncmp(s, "xyz", 0) == 0);
    return 0;
}
