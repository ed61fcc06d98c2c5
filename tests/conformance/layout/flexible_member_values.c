// verdict: TRUE
// fact: a flexible member lies behind the struct in its malloced object
#include <assert.h>
#include <stdlib.h>

struct s { int n; int data[]; };

int main(void)
{
    struct s *p = malloc(sizeof *p + 3 * sizeof(int));
    if (!p)
        return 0;
    p->n = 3;
    for (int i = 0; i < p->n; i++)
        p->data[i] = 10 * i;
    assert(p->n == 3);
    assert(p->data[2] == 20);
    assert(((int *)p)[2] == 10);
    return 0;
}
