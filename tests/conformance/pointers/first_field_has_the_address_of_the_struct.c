// verdict: TRUE
// fact: a struct starts with its first field
#include <assert.h>

struct s { int a, b; };

int main(void)
{
    struct s s = { 1, 2 };
    assert((void *)&s == (void *)&s.a);
    assert(*(int *)&s == 1);
    assert(*((int *)&s + 1) == 2);
    return 0;
}
