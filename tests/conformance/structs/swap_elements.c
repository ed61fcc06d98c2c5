// verdict: TRUE
// fact: elements of an array of structs can be exchanged
#include <assert.h>

struct s { int key; char name[4]; };

int main(void)
{
    struct s v[2] = { { 2, "two" }, { 1, "one" } };
    struct s t = v[0];
    v[0] = v[1];
    v[1] = t;
    assert(v[0].key == 1 && v[0].name[0] == 'o');
    assert(v[1].key == 2 && v[1].name[0] == 't');
    return 0;
}
