// verdict: TRUE
// fact: a matrix written by rows is read as one array
#include <assert.h>

int main(void)
{
    short m[2][2] = { { 1, 2 }, { 3, 4 } };
    short *p = (short *)m;
    p[3] = 9;
    assert(m[1][1] == 9);
    assert(*(int *)m[0] == 0x00020001);
    return 0;
}
