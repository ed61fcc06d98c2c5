// verdict: FALSE
// gcc: no, an object without definition
// fact: an extern object without definition can have any value
#include <assert.h>

extern int x;

int main(void)
{
    assert(x == 0);
    return 0;
}
