// verdict: TRUE
// fact: GNU typeof gives the type without evaluating
#include <assert.h>

int main(void)
{
    unsigned char c = 255;
    typeof(c) d = c + 1;
    typeof(c + 1) e = c + 1;
    assert(d == 0 && e == 256);
    return 0;
}
