// verdict: TRUE
// fact: a union is as large as its largest member, padded
#include <assert.h>

union u { char c[5]; int i; short s; };

int main(void)
{
    assert(sizeof(union u) == 8);
    return 0;
}
