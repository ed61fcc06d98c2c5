// verdict: TRUE
// fact: sizeof sees the promoted type of a sum, and the unpromoted type of a variable
#include <assert.h>

int main(void)
{
    char c = 1;
    short s = 1;
    assert(sizeof c == 1 && sizeof +c == 4);
    assert(sizeof s == 2 && sizeof(s + s) == 4);
    assert(sizeof(c, c) == 1);
    return 0;
}
