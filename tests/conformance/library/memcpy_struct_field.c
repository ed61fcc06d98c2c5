// verdict: TRUE
// fact: memcpy into a field leaves the others
#include <assert.h>
#include <string.h>

struct s { int a; char b[4]; int c; };

int main(void)
{
    struct s s = { 1, "", 2 };
    memcpy(s.b, "wxyz", 4);
    assert(s.a == 1 && s.b[0] == 'w' && s.b[3] == 'z' && s.c == 2);
    return 0;
}
