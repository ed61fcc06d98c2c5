// verdict: TRUE
// fact: each row of a char matrix is its own string
#include <assert.h>

char rows[][4] = { "ab", "xyz" };

int main(void)
{
    assert(sizeof rows == 8);
    assert(rows[0][2] == 0 && rows[1][2] == 'z' && rows[1][3] == 0);
    return 0;
}
