// verdict: TRUE
// fact: GNU empty braces clear the object
#include <assert.h>

struct s { int a; int v[2]; };

int main(void)
{
    struct s s = {};
    int a[3] = {};
    assert(s.a == 0 && s.v[1] == 0 && a[2] == 0);
    return 0;
}
