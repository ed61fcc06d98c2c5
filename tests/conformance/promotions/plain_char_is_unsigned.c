// verdict: FALSE
// fact: not so: see plain_char_is_signed.c
#include <assert.h>

static int widen(char c) { return c; }

int main(void)
{
    assert(widen('\xff') == -1);
    assert(widen(200) == 200);
    return 0;
}
