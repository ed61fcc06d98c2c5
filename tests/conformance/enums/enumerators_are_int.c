// verdict: TRUE
// fact: an enumerator has type int, even when the enum type is unsigned
#include <assert.h>

enum e { A, B };

int main(void)
{
    enum e x = A;
    assert(A - 1 < 0);
    assert(x - 1 > 0);
    return 0;
}
