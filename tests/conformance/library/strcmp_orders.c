// verdict: TRUE
// fact: strcmp is zero for equal strings, and orders others
#include <assert.h>
#include <string.h>

int main(void)
{
    char s[] = "abc";
    assert(strcmp(s, "abc") == 0);
    assert(strcmp(s, "abd") < 0);
    assert(strcmp(s, "ab") > 0);
    assert(strcmp("\x80", "a") > 0);
    return 0;
}
