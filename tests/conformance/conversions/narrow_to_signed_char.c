// verdict: TRUE
// fact: a conversion to signed char keeps the low 8 bits
#include <assert.h>

static signed char narrow(int i) { return i; }

int main(void)
{
    assert(narrow(0x17f) == 127);
    assert(narrow(0x180) == -128);
    assert(narrow(-129) == 127);
    return 0;
}
