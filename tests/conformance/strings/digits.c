// verdict: TRUE
// fact: digits are consecutive
#include <assert.h>

static int number(const char *s)
{
    int n = 0;
    for (; *s >= '0' && *s <= '9'; s++)
        n = n * 10 + (*s - '0');
    return n;
}

int main(void)
{
    assert(number("407x") == 407);
    return 0;
}
