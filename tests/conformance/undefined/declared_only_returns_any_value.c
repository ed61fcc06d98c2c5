// verdict: FALSE
// gcc: no, a function without definition
// fact: a declared-only function can return any value
#include <assert.h>

int unknown(void);

int main(void)
{
    int a = unknown();
    assert(a == unknown());
    return 0;
}
