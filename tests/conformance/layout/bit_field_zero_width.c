// verdict: TRUE
// fact: a field of width zero closes the unit
#include <assert.h>

struct s { unsigned a : 4; unsigned : 0; unsigned b : 4; };
struct t { unsigned a : 4; unsigned b : 4; };

int main(void)
{
    assert(sizeof(struct s) == 8);
    assert(sizeof(struct t) == 4);
    return 0;
}
