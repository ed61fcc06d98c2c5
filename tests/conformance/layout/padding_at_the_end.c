// verdict: TRUE
// fact: a struct is padded to its alignment
#include <assert.h>

struct s { int i; char c; };
struct t { short s; char c; };

int main(void)
{
    assert(sizeof(struct s) == 8);
    assert(sizeof(struct t) == 4);
    assert(sizeof(struct s[3]) == 24);
    return 0;
}
