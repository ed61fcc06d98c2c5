// verdict: TRUE
// fact: va_arg reads each argument as its promoted type
#include <assert.h>
#include <stdarg.h>

struct pair { int a; int b; };

static double all(const char *kinds, ...)
{
    va_list ap;
    double sum = 0;
    va_start(ap, kinds);
    for (; *kinds; kinds++) {
        switch (*kinds) {
        case 'i': sum += va_arg(ap, int); break;
        case 'l': sum += va_arg(ap, long long); break;
        case 'd': sum += va_arg(ap, double); break;
        case 'p': sum += *va_arg(ap, int *); break;
        case 's': { struct pair p = va_arg(ap, struct pair); sum += p.a * 10 + p.b; break; }
        }
    }
    va_end(ap);
    return sum;
}

int main(void)
{
    int x = 7;
    char c = 3;
    float f = 0.5f;
    struct pair p = { 2, 4 };
    assert(all("ild", c, 1LL << 33, f) == 8589934595.5);
    assert(all("pis", &x, 1, p) == 32);
    assert(all("") == 0);
    return 0;
}
