// verdict: TRUE
// fact: realloc to less keeps the beginning; of null it is malloc
#include <assert.h>
#include <stdlib.h>

struct s { char c; int i; };

int main(void)
{
    struct s *p = realloc(NULL, 3 * sizeof *p);
    for (int i = 0; i < 3; i++) {
        p[i].c = 'a' + i;
        p[i].i = i * 1000;
    }
    p = realloc(p, 2 * sizeof *p);
    assert(p[0].c == 'a' && p[1].c == 'b' && p[1].i == 1000);
    free(p);
    return 0;
}
