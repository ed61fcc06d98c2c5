// verdict: TRUE
// fact: a call can change a global through a pointer held elsewhere
#include <assert.h>

int g = 1;
int *where = &g;

static void change(void) { *where = 2; }

int main(void)
{
    int before = g;
    change();
    assert(before == 1 && g == 2);
    return 0;
}
