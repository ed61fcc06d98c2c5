// verdict: TRUE
// fact: an array of exact length drops the final zero
#include <assert.h>

int main(void)
{
    char s[3] = "abc";
    char t[5] = "abc";
    assert(sizeof s == 3 && s[2] == 'c');
    assert(t[3] == 0 && t[4] == 0);
    return 0;
}
