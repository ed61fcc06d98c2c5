// verdict: FALSE
// fact: not so: see narrow_to_short.c
#include <assert.h>

static short narrow(int i) { return i; }

int main(void)
{
    assert(narrow(65535) == -1);
    assert(narrow(32768) == 32767);
    assert(narrow(-32769) == 32767);
    return 0;
}
