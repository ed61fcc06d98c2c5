// verdict: TRUE
// fact: a packed struct has no padding
#include <assert.h>
#include <stddef.h>

struct s { char c; int i; short h; } __attribute__((packed));

int main(void)
{
    assert(sizeof(struct s) == 7);
    assert(offsetof(struct s, i) == 1 && offsetof(struct s, h) == 5);
    return 0;
}
