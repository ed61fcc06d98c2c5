// verdict: TRUE
// fact: the value of an assignment is that of its left side
#include <assert.h>

int main(void)
{
    int i;
    unsigned char c;
    i = c = 0x1ff;
    assert(i == 255);
    return 0;
}
