// verdict: TRUE
// fact: a string literal counts its final zero
#include <assert.h>

int main(void)
{
    assert(sizeof "abc" == 4);
    assert(sizeof "a\0b" == 4);
    assert(sizeof "" == 1);
    return 0;
}
