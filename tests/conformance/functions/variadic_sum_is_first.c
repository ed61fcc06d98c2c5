// verdict: FALSE
// fact: not so: va_arg does not stay at the first argument
#include <assert.h>
#include <stdarg.h>

static int last(int n, ...)
{
    va_list ap;
    int v = 0;
    va_start(ap, n);
    while (n-- > 0)
        v = va_arg(ap, int);
    va_end(ap);
    return v;
}

int main(void)
{
    assert(last(2, 5, 6) == 5);
    return 0;
}
