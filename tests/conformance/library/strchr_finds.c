// verdict: TRUE
// fact: strchr gives the first match or null
#include <assert.h>
#include <string.h>

int main(void)
{
    char s[] = "abab";
    assert(strchr(s, 'b') == s + 1);
    assert(strchr(s, 'x') == 0);
    assert(strchr(s, 0) == s + 4);
    return 0;
}
