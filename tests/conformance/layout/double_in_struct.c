// verdict 32: FALSE
// verdict 64: TRUE
// fact: a double field is aligned to 4 in ILP32 and to 8 in LP64
#include <assert.h>
#include <stddef.h>

struct s { int i; double d; };

int main(void)
{
    assert(offsetof(struct s, d) == 8 && sizeof(struct s) == 16);
    return 0;
}
