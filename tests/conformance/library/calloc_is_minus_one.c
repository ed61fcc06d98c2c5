// verdict: FALSE
// fact: not so: see calloc_is_zero.c
#include <assert.h>
#include <stdlib.h>

struct s { int a; char *p; };

int main(void)
{
    struct s *p = calloc(3, sizeof *p);
    int i = 2;
    assert(p[i].a == -1 && p[i].p == 0);
    p[1].a = 5;
    assert(p[0].a == 0 && p[1].a == 5);
    return 0;
}
