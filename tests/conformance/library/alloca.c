// verdict: TRUE
// fact: alloca gives an object for the rest of the function
#include <assert.h>
#include <alloca.h>

static int sum(int n)
{
    int *p = alloca(n * sizeof *p), s = 0;
    for (int i = 0; i < n; i++)
        p[i] = i + 1;
    for (int i = 0; i < n; i++)
        s += p[i];
    return s;
}

int main(void)
{
    assert(sum(3) == 6);
    return 0;
}
