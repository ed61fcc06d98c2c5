// verdict: TRUE
// fact: the struct is found again from its field
#include <assert.h>
#include <stddef.h>

struct s { int a; short b; int c; };

static struct s *whole(int *c) { return (struct s *)((char *)c - offsetof(struct s, c)); }

int main(void)
{
    struct s s = { 1, 2, 3 };
    assert(whole(&s.c) == &s);
    assert(whole(&s.c)->b == 2);
    return 0;
}
