// verdict: FALSE
// options: --malloc-may-fail
// gcc: no, a malloc that fails
// fact: with --malloc-may-fail malloc can be null
#include <assert.h>
#include <stdlib.h>

int main(void)
{
    assert(malloc(100) != 0);
    return 0;
}
