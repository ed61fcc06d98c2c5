// verdict: TRUE
// fact: a packed enum takes the smallest type
#include <assert.h>

enum e { A, B = 200 } __attribute__((packed));

int main(void)
{
    enum e x = B;
    assert(sizeof x == 1);
    assert(x == 200);
    return 0;
}
