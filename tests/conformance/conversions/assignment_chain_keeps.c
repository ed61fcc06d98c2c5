// verdict: FALSE
// fact: not so: see assignment_chain_narrows.c
#include <assert.h>

int main(void)
{
    int i;
    unsigned char c;
    i = c = 0x1ff;
    assert(i == 511);
    return 0;
}
