// verdict: TRUE
// fact: adjacent literals are one string
#include <assert.h>

int main(void)
{
    const char *s = "ab" "cd";
    assert(s[2] == 'c' && sizeof("ab" "cd") == 5);
    return 0;
}
