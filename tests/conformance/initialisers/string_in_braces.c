// verdict: TRUE
// fact: a string may stand in braces
#include <assert.h>

int main(void)
{
    char s[] = { "abc" };
    assert(sizeof s == 4 && s[1] == 'b');
    return 0;
}
