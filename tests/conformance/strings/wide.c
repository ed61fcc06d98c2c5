// verdict: TRUE
// fact: a wide literal has an int for each character
#include <assert.h>
#include <stddef.h>

int main(void)
{
    const wchar_t *s = L"a\x1234";
    assert(s[0] == 'a' && s[1] == 0x1234 && s[2] == 0);
    return 0;
}
