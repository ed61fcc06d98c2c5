// verdict 32: TRUE
// verdict 64: FALSE
// fact: a long long field is aligned to 4 in ILP32 and to 8 in LP64
#include <assert.h>
#include <stddef.h>

struct s { char c; long long l; };

int main(void)
{
    assert(offsetof(struct s, l) == 4 && sizeof(struct s) == 12);
    return 0;
}
