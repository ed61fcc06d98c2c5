// verdict: TRUE
// fact: __func__ is the name of the function
#include <assert.h>

static char first(void) { return __func__[0]; }

int main(void)
{
    assert(first() == 'f');
    assert(sizeof __func__ == 5);
    return 0;
}
