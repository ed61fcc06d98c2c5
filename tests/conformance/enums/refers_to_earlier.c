// verdict: TRUE
// fact: an enumerator can be used right after its definition
#include <assert.h>

enum e { A = 3, B = A * 2, C = B | 1, SIZE = sizeof(int[C]) };

int main(void)
{
    assert(SIZE == 28);
    int a[B];
    assert(sizeof a == 24);
    return 0;
}
