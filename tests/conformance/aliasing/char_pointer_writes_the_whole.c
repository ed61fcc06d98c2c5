// verdict: FALSE
// fact: not so: see char_pointer_writes_bytes.c
#include <assert.h>

int main(void)
{
    unsigned x = 0;
    ((unsigned char *)&x)[2] = 0xab;
    assert(x == 0xab);
    return 0;
}
