// verdict 32: TRUE
// verdict 64: FALSE
// fact: long double takes 12 bytes in ILP32 and 16 in LP64
#include <assert.h>

int main(void)
{
    assert(sizeof(float) == 4 && sizeof(double) == 8);
    assert(sizeof(long double) == 12);
    return 0;
}
