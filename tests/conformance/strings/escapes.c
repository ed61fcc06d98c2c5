// verdict: TRUE
// fact: escapes give their codes
#include <assert.h>

int main(void)
{
    const char *s = "\n\t\\\"\x41\101\0z";
    assert(s[0] == 10 && s[1] == 9 && s[2] == 92 && s[3] == 34);
    assert(s[4] == 65 && s[5] == 65 && s[6] == 0 && s[7] == 'z');
    return 0;
}
