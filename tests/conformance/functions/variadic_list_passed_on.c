// verdict: TRUE
// fact: a va_list can be passed on and copied
#include <assert.h>
#include <stdarg.h>

static int add(int n, va_list ap)
{
    int s = 0;
    while (n-- > 0)
        s += va_arg(ap, int);
    return s;
}

static int twice(int n, ...)
{
    va_list ap, again;
    va_start(ap, n);
    va_copy(again, ap);
    int s = add(n, ap);
    s = s * 10 + add(n, again);
    va_end(again);
    va_end(ap);
    return s;
}

int main(void)
{
    int (*f)(int, ...) = twice;
    assert(twice(2, 1, 2) == 33);
    assert(f(3, 1, 1, 1) == 33);
    return 0;
}
