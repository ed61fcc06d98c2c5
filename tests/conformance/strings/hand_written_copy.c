// verdict: TRUE
// fact: while (*d++ = *s++) copies with the zero
#include <assert.h>

static void copy(char *d, const char *s) { while ((*d++ = *s++)) ; }

int main(void)
{
    char d[4] = { 9, 9, 9, 9 };
    copy(d, "ab");
    assert(d[0] == 'a' && d[1] == 'b' && d[2] == 0 && d[3] == 9);
    return 0;
}
