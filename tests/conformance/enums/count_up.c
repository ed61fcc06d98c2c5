// verdict: TRUE
// fact: enumerators count up from the last one given
#include <assert.h>

enum e { A, B = 5, C, D = -2, E };

int main(void)
{
    assert(A == 0 && C == 6 && E == -1);
    return 0;
}
