// verdict: FALSE
// fact: not so: see nested_partial.c
#include <assert.h>

int main(void)
{
    int m[3][2] = { { 1 }, { 2 } };
    assert(m[0][0] == 1 && m[0][1] == 2 && m[1][0] == 0 && m[2][0] == 0);
    return 0;
}
