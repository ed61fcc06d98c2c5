// verdict: TRUE
// fact: initialisers of bit-fields are reduced to their width
#include <assert.h>

struct s { unsigned a : 2; int : 3; int b : 2; };

struct s g = { 5, 3 };

int main(void)
{
    assert(g.a == 1);
    assert(g.b == -1);
    return 0;
}
