// verdict: TRUE
// fact: globals without initialiser are zero, all of them
#include <assert.h>

struct s { int a; char *p; double d; };

int i;
int a[3];
struct s s;
static char *p;

int main(void)
{
    assert(i == 0 && a[2] == 0 && s.a == 0 && s.p == 0 && s.d == 0.0 && p == 0);
    return 0;
}
