// verdict: TRUE
// fact: the value of an assignment to a bit-field is what it then holds
#include <assert.h>

struct s { unsigned u : 4; int i : 4; };

int main(void)
{
    struct s s;
    assert((s.u = 17) == 1);
    assert((s.i = 15) == -1);
    return 0;
}
