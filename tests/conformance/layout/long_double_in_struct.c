// verdict 32: TRUE
// verdict 64: FALSE
// fact: a long double field is aligned to 4 in ILP32 and to 16 in LP64
#include <assert.h>
#include <stddef.h>

struct s { char c; long double l; };

int main(void)
{
    assert(offsetof(struct s, l) == 4);
    assert(sizeof(struct s) == 16);
    return 0;
}
