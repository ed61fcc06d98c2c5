// verdict: TRUE
// fact: an int after a char starts at 4
#include <assert.h>
#include <stddef.h>

struct s { char c; int i; };

int main(void)
{
    assert(offsetof(struct s, i) == 4);
    assert(sizeof(struct s) == 8);
    return 0;
}
