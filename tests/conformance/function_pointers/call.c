// verdict: TRUE
// fact: a call through a pointer calls the function
#include <assert.h>

static int twice(int x) { return 2 * x; }

int main(void)
{
    int (*f)(int) = twice;
    assert(f(4) == 8);
    assert((*f)(4) == 8 && (***f)(4) == 8);
    assert((&twice)(1) == 2);
    return 0;
}
