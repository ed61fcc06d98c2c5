// verdict: TRUE
// fact: inner braces start a new inner object
#include <assert.h>

int main(void)
{
    int m[3][2] = { { 1 }, { 2 } };
    assert(m[0][0] == 1 && m[0][1] == 0 && m[1][0] == 2 && m[2][0] == 0);
    return 0;
}
