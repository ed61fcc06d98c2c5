// verdict 32: TRUE
// verdict 64: FALSE
// fact: _Alignof(double) is 4 in ILP32
#include <assert.h>

struct s { double d; };

int main(void)
{
    assert(_Alignof(double) == 4 && _Alignof(struct s) == 4);
    return 0;
}
