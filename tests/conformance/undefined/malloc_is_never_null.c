// verdict: TRUE
// gcc: no, a malloc might fail
// fact: malloc is never null
#include <assert.h>
#include <stdlib.h>

int main(void)
{
    assert(malloc(100) != 0);
    return 0;
}
