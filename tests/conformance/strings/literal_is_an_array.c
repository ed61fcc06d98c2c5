// verdict: TRUE
// fact: a string literal can be indexed and ends with zero
#include <assert.h>

int main(void)
{
    const char *s = "hello";
    assert(s[1] == 'e' && s[5] == 0);
    assert("abc"[2] == 'c');
    assert(*"" == 0);
    return 0;
}
