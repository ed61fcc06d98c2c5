// verdict: TRUE
// fact: every call has arguments of its own
#include <assert.h>
#include <stdarg.h>

static int digits(int depth, ...)
{
    va_list ap;
    va_start(ap, depth);
    int d = va_arg(ap, int);
    int inner = depth > 0 ? digits(depth - 1, d + 1) : 0;
    int e = depth == 2 ? va_arg(ap, int) : 0;
    va_end(ap);
    return inner * 10 + d + e;
}

int main(void)
{
    assert(digits(2, 1, 4) == 325);
    return 0;
}
