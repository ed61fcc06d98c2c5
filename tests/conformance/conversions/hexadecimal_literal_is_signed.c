// verdict: FALSE
// fact: not so: see hexadecimal_literal_can_be_unsigned.c
#include <assert.h>

int main(void)
{
    assert(sizeof 0x80000000 == 4);
    assert(-0x80000000 < 0);
    assert(0xffffffff == -1);
    return 0;
}
