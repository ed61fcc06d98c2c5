// verdict: TRUE
// fact: a malloced object outlives the function that made it
#include <assert.h>
#include <stdlib.h>

static int *make(int v) { int *p = malloc(sizeof *p); *p = v; return p; }

int main(void)
{
    int *a = make(1), *b = make(2);
    assert(*a == 1 && *b == 2);
    return 0;
}
