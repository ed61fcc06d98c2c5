// verdict: TRUE
// fact: an enumerator beyond int makes the enum 8 bytes wide
#include <assert.h>

enum e { A = 1LL << 40 };

int main(void)
{
    assert(sizeof(enum e) == 8);
    enum e x = A;
    assert(x >> 40 == 1);
    return 0;
}
