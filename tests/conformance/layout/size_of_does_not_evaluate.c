// verdict: TRUE
// fact: the operand of sizeof is not evaluated
#include <assert.h>

int main(void)
{
    int i = 0;
    unsigned n = sizeof(i++);
    assert(i == 0 && n == 4);
    return 0;
}
