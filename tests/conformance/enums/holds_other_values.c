// verdict: TRUE
// fact: an enum variable holds every value of its type
#include <assert.h>

enum e { A, B };

int main(void)
{
    enum e x = (enum e)77;
    assert(x == 77);
    return 0;
}
