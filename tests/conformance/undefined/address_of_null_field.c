// verdict: TRUE
// options: --check pointer
// fact: the address of a field of a null pointer reads nothing
#include <assert.h>

struct s { int a, b; };

static int *where(struct s *p) { return &p->b; }

int main(void)
{
    assert((unsigned long)where(0) == 4);
    return 0;
}
