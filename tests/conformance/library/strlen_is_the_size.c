// verdict: FALSE
// fact: not so: see strlen.c
#include <assert.h>
#include <string.h>

int main(void)
{
    char s[6] = "abc";
    assert(strlen(s) == 6);
    s[1] = 0;
    assert(strlen(s) == 1);
    assert(strlen("") == 0);
    return 0;
}
