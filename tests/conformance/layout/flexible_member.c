// verdict: TRUE
// fact: a flexible member adds no size, but its alignment
#include <assert.h>
#include <stddef.h>

struct s { char n; int data[]; };

int main(void)
{
    assert(sizeof(struct s) == 4);
    assert(offsetof(struct s, data) == 4);
    return 0;
}
