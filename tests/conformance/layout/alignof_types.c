// verdict: TRUE
// fact: _Alignof gives the alignment in a struct
#include <assert.h>

struct s { char c; short s; };

int main(void)
{
    assert(_Alignof(char) == 1 && _Alignof(short) == 2 && _Alignof(int) == 4);
    assert(_Alignof(struct s) == 2);
    assert(_Alignof(int[7]) == 4);
    return 0;
}
