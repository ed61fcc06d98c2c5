// verdict: TRUE
// options: --check overflow
// fact: a conversion that loses bits is no overflow
#include <assert.h>

static signed char narrow(int x) { return x; }

int main(void)
{
    signed char c = 127;
    c++;
    assert(narrow(300) == 44 && c == -128);
    return 0;
}
