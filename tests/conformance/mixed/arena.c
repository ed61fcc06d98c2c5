// verdict: TRUE
// fact: a char buffer can hold objects of different types
#include <assert.h>

static char pool[16] __attribute__((aligned(8)));
static unsigned used;

static void *take(unsigned n) { void *p = pool + used; used += n; return p; }

int main(void)
{
    int *i = take(sizeof *i);
    short *s = take(sizeof *s);
    char *c = take(1);
    *i = -5;
    *s = 300;
    *c = 'z';
    assert(*i == -5 && *s == 300 && *c == 'z');
    assert(pool[4] == 44 && pool[6] == 'z');
    return 0;
}
