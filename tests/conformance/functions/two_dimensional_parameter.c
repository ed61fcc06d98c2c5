// verdict: TRUE
// fact: a matrix parameter keeps its row length
#include <assert.h>

static int at(int m[][3], int i, int j) { return m[i][j]; }

int main(void)
{
    int m[2][3] = { { 1, 2, 3 }, { 4, 5, 6 } };
    assert(at(m, 1, 0) == 4 && at(m, 0, 2) == 3);
    return 0;
}
