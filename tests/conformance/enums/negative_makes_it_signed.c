// verdict: TRUE
// fact: an enum with a negative enumerator is an int
#include <assert.h>

enum e { M = -1, Z };

int main(void)
{
    enum e x = Z;
    assert(x - 1 < 0);
    assert(sizeof(enum e) == 4);
    return 0;
}
