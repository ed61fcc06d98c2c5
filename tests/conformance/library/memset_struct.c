// verdict: TRUE
// fact: memset with 0 clears a struct
#include <assert.h>
#include <string.h>

struct s { char c; int i; int *p; double d; };

int main(void)
{
    struct s s = { 1, 2, &s.i, 3.0 };
    memset(&s, 0, sizeof s);
    assert(s.c == 0 && s.i == 0 && s.p == 0 && s.d == 0.0);
    return 0;
}
