// verdict: TRUE
// fact: a static local without initialiser starts at zero
#include <assert.h>

static int *cell(int i) { static int a[3]; return &a[i]; }

int main(void)
{
    assert(*cell(1) == 0);
    *cell(1) = 4;
    assert(*cell(1) == 4 && *cell(2) == 0);
    return 0;
}
