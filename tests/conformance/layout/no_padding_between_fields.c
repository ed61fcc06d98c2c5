// verdict: FALSE
// fact: not so: see padding_between_fields.c
#include <assert.h>
#include <stddef.h>

struct s { char c; int i; };

int main(void)
{
    assert(offsetof(struct s, i) == 1);
    assert(sizeof(struct s) == 8);
    return 0;
}
