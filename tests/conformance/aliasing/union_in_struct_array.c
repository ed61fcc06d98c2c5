// verdict: TRUE
// fact: a union in an array of structs aliases only within its element
#include <assert.h>

struct s { int tag; union { int i; unsigned char b[4]; } u; };

int main(void)
{
    struct s a[2];
    a[0].u.i = 0;
    a[1].u.i = 0;
    a[1].u.b[1] = 1;
    assert(a[1].u.i == 256);
    assert(a[0].u.i == 0);
    return 0;
}
