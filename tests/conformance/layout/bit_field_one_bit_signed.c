// verdict: TRUE
// fact: a one-bit int field holds 0 and -1
#include <assert.h>

struct s { int flag : 1; _Bool truth : 1; };

int main(void)
{
    struct s s;
    s.flag = 1;
    s.truth = 2;
    assert(s.flag == -1);
    assert(s.truth == 1);
    return 0;
}
