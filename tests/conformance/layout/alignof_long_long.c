// verdict 32: TRUE
// verdict 64: FALSE
// fact: _Alignof(long long) is 4 in ILP32
#include <assert.h>

int main(void)
{
    assert(_Alignof(long long) == 4);
    return 0;
}
