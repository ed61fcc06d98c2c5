// verdict: TRUE
// fact: _Generic selects by type after decay
#include <assert.h>

#define KIND(x) _Generic((x), char: 1, int: 2, unsigned: 3, double: 4, char *: 5, default: 6)

int main(void)
{
    char c = 0;
    assert(KIND(c) == 1 && KIND(+c) == 2 && KIND(1u) == 3 && KIND(1.0) == 4);
    assert(KIND("s") == 5 && KIND(1.0f) == 6);
    return 0;
}
