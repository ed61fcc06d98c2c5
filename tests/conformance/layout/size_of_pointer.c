// verdict 32: TRUE
// verdict 64: FALSE
// fact: a pointer has 4 bytes in ILP32 and 8 in LP64
#include <assert.h>

int main(void)
{
    assert(sizeof(char *) == 4);
    assert(sizeof(int (*)(void)) == sizeof(char *));
    return 0;
}
