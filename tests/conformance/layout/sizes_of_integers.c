// verdict: TRUE
// fact: char to long long have 1, 2, 4, word and 8 bytes
#include <assert.h>

int main(void)
{
    assert(sizeof(char) == 1 && sizeof(_Bool) == 1);
    assert(sizeof(short) == 2 && sizeof(int) == 4);
    assert(sizeof(long) == sizeof(void *));
    assert(sizeof(long long) == 8);
    return 0;
}
