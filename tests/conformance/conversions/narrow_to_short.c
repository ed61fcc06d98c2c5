// verdict: TRUE
// fact: a conversion to short keeps the low 16 bits
#include <assert.h>

static short narrow(int i) { return i; }

int main(void)
{
    assert(narrow(65535) == -1);
    assert(narrow(32768) == -32768);
    assert(narrow(-32769) == 32767);
    return 0;
}
