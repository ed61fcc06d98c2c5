// verdict: TRUE
// fact: fields without initialiser are zero
#include <assert.h>

struct s { int a; char *p; int b[2]; };

int main(void)
{
    struct s s = { 1 };
    assert(s.a == 1 && s.p == 0 && s.b[0] == 0 && s.b[1] == 0);
    return 0;
}
