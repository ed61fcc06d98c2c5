// verdict: TRUE
// gcc: no, a function without definition
// fact: a declared-only function returns a value of its type
#include <assert.h>

unsigned char unknown(void);

int main(void)
{
    assert(unknown() <= 255);
    return 0;
}
