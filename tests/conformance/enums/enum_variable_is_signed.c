// verdict: FALSE
// fact: not so: see enumerators_are_int.c
#include <assert.h>

enum e { A, B };

int main(void)
{
    enum e x = A;
    assert(A - 1 < 0);
    assert(x - 1 < 0);
    return 0;
}
