// verdict: TRUE
// fact: memset over part of an array of structs clears just that part
#include <assert.h>
#include <string.h>

struct s { int a; short b; };

int main(void)
{
    struct s v[3] = { { 1, 2 }, { 3, 4 }, { 5, 6 } };
    memset(&v[1], 0, sizeof v[1]);
    assert(v[0].b == 2 && v[1].a == 0 && v[1].b == 0 && v[2].a == 5);
    return 0;
}
