// verdict: TRUE
// fact: offsetof reaches into an array field
#include <assert.h>
#include <stddef.h>

struct s { char c; short a[3]; int i; };

int main(void)
{
    assert(offsetof(struct s, a) == 2);
    assert(offsetof(struct s, a[2]) == 6);
    assert(offsetof(struct s, i) == 8);
    return 0;
}
