// verdict: FALSE
// gcc: no, an access outside its object
// fact: the run goes on after an access outside
#include <assert.h>

int a[2];

static void set(int i, int v) { a[i] = v; }

int main(void)
{
    set(2, 9);
    assert(0);
    return 0;
}
