// verdict: FALSE
// fact: not so: see array_is_a_copy.c
#include <assert.h>

int main(void)
{
    char s[] = "abc";
    char t[] = "abc";
    s[0] = 'X';
    assert(s[0] == 'X' && t[0] == 'X' && sizeof s == 4);
    return 0;
}
