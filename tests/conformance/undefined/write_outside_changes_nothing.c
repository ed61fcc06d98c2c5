// verdict: TRUE
// gcc: no, an access outside its object
// fact: a write outside an array changes no other object
#include <assert.h>

int a[2], b[2];

static void set(int i, int v) { a[i] = v; }

int main(void)
{
    set(2, 9);
    set(-1, 9);
    assert(a[0] == 0 && a[1] == 0 && b[0] == 0 && b[1] == 0);
    return 0;
}
