// verdict: TRUE
// fact: the same fields in another order take more space
#include <assert.h>

struct tight { int i; char a, b; };
struct loose { char a; int i; char b; };

int main(void)
{
    assert(sizeof(struct tight) == 8);
    assert(sizeof(struct loose) == 12);
    return 0;
}
