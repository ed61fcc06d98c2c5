// verdict: FALSE
// fact: not so: see count_up.c
#include <assert.h>

enum e { A, B = 5, C, D = -2, E };

int main(void)
{
    assert(A == 0 && C == 2 && E == -1);
    return 0;
}
