// verdict: TRUE
// fact: a loop to the zero counts the characters
#include <assert.h>

static int length(const char *s)
{
    const char *p = s;
    while (*p)
        p++;
    return p - s;
}

int main(void)
{
    assert(length("abcd") == 4);
    assert(length("") == 0);
    assert(length("a\0b") == 1);
    return 0;
}
