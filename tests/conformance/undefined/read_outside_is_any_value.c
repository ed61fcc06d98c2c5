// verdict: FALSE
// gcc: no, an access outside its object
// fact: a read outside an array can give any value
#include <assert.h>

int a[4];

static int get(int i) { return a[i]; }

int main(void)
{
    assert(get(4) == 0);
    return 0;
}
