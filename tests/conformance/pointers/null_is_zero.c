// verdict: TRUE
// fact: the null pointer is false and converts to 0
#include <assert.h>
#include <stddef.h>
#include <stdint.h>

static int is_null(void *p) { return !p; }

int main(void)
{
    int x;
    assert(is_null(NULL) && !is_null(&x));
    assert((uintptr_t)(void *)0 == 0);
    return 0;
}
