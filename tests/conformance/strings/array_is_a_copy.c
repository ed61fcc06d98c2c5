// verdict: TRUE
// fact: an array initialised from a literal can be written
#include <assert.h>

int main(void)
{
    char s[] = "abc";
    char t[] = "abc";
    s[0] = 'X';
    assert(s[0] == 'X' && t[0] == 'a' && sizeof s == 4);
    return 0;
}
