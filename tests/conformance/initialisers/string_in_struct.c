// verdict: TRUE
// fact: a string initialises an array field
#include <assert.h>

struct s { char name[4]; int n; };

int main(void)
{
    struct s s = { "ab", 7 };
    assert(s.name[0] == 'a' && s.name[2] == 0 && s.name[3] == 0 && s.n == 7);
    return 0;
}
